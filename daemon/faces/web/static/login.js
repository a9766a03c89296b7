// The code is in the fragment, which browsers send to nobody; it is used up at once. A form would be
// sent with the origin "null", because no referrer may be sent, and refused.
"use strict";
async function signIn(code) {
  history.replaceState(null, "", "/login");
  const answer = await fetch("/login", { method: "POST", body: new URLSearchParams({ code }) });
  if (answer.ok) location.replace("/");
  else document.getElementById("message").textContent = "This link was used before or is too old. Run “lacuna open” for a new one.";
}
if (location.hash.length > 1) signIn(location.hash.slice(1));
