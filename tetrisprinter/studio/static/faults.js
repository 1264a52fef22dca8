// Sentences about failures: pages and workers show these, never a bare status or a name of code.
const REPORT = "please report it with the input, the settings and the version";

// Return the sentence of an error. Errors that the code throws on purpose are sentences already; any
// other is a fault, whose details are for the console.
export function describeError(error) {
  if (error?.name === "Error" && !/^Traceback|\n/.test(error.message)) return error.message;
  console.error(error);
  return `internal error; ${REPORT}`;
}
// Return the sentence for an answer without a sentence of its own.
export function describeStatus(status) {
  if (status === 404) return "not found";
  if (status === 503) return "the studio has too many visitors; try again in a moment";
  return `the studio failed to answer (status ${status}); ${REPORT}`;
}
