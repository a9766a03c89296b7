import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, localAddress, OfflineError, RefusedError } from "../src/client";
import { host } from "./stub.mjs";

const client = (address = "http://127.0.0.1:7431", token = "secret", isMobile = false) =>
  new Client(
    () => address,
    () => token,
    () => isMobile,
  );

test("only plain addresses of this computer are used", () => {
  assert.equal(localAddress(" http://localhost:7431/x "), "http://localhost:7431");
  for (const wrong of [
    "http://example.com",
    "https://127.0.0.1",
    "http://127.0.0.1.evil.org",
    "http://a:b@127.0.0.1",
    "file:///etc",
    "127.0.0.1:7431",
  ]) {
    assert.equal(localAddress(wrong), null, wrong);
  }
});

test("the token is sent in a header, to no other computer, and in no address", async () => {
  const sent: { url: string; headers: Record<string, string> }[] = [];
  host.requestUrl = (asked: never) => {
    sent.push(asked);
    return Promise.resolve({ status: 200, json: [], text: "[]" });
  };
  await client().similar("A & B.md", 3);
  assert.equal(sent[0]?.headers["Authorization"], "Bearer secret");
  assert.equal(sent[0]?.url, "http://127.0.0.1:7431/api/v1/search?like=A+%26+B.md&limit=3");
  await assert.rejects(client("http://example.com").status(), RefusedError);
  assert.equal(sent.length, 1);
});

test("a device without a token, and a phone, have the files only: nothing is sent", async () => {
  host.requestUrl = () => assert.fail("sent");
  await assert.rejects(client("http://127.0.0.1:7431", "").status(), (error: Error) => {
    return error instanceof OfflineError && error.message.startsWith("No token is set");
  });
  await assert.rejects(client("http://127.0.0.1:7431", "secret", true).status(), (error: Error) => {
    return error instanceof OfflineError && error.message.includes("on your computer");
  });
});

test("a server that is off, and one that refuses, are told apart", async () => {
  host.requestUrl = () => Promise.reject(new Error("net::ERR_CONNECTION_REFUSED"));
  await assert.rejects(client().status(), OfflineError);
  host.requestUrl = () => Promise.resolve({ status: 401, text: "{}" });
  await assert.rejects(client().status(), /The token does not fit/);
  host.requestUrl = () => Promise.resolve({ status: 409, text: '{"detail": "agenda a-1 has ended"}' });
  await assert.rejects(client().cancel("a-1"), /agenda a-1 has ended/);
  host.requestUrl = () => Promise.resolve({ status: 502, text: "<html>" });
  await assert.rejects(client().status(), /Lacuna answered with 502/);
});
