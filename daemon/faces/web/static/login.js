// The code is in the fragment, which browsers send to nobody; it is used up at once.
"use strict";
const code = location.hash.slice(1);
if (code) {
  history.replaceState(null, "", "/login");
  document.getElementById("code").value = code;
  document.getElementById("login").submit();
}
