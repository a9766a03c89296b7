// The code is in the fragment, which browsers send to nobody; it is used up at once. A form would be
// sent with the origin "null", because no referrer may be sent, and refused.
"use strict";
async function signIn(field, why) {
  history.replaceState(null, "", "/login");
  const answer = await fetch("/login", { method: "POST", body: new URLSearchParams(field) });
  if (answer.ok) location.replace("/");
  else document.getElementById("message").textContent = answer.status === 429 ? "Too many passwords: wait a minute." : why;
}
const form = document.getElementById("by-password");
if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    signIn({ password: document.getElementById("password").value }, "The password is wrong.");
  });
} else if (location.hash.length > 1) {
  signIn({ code: location.hash.slice(1) }, "This link was used before or is too old. Run “lacuna open” for a new one.");
}
