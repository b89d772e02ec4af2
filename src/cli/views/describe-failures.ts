/** The failures in a run that still succeeded: `, 2 of 20 failed`; otherwise nothing. */
export function describeFailures({
  failures = 0,
  failuresOf = failures,
}: {
  failures?: number
  failuresOf?: number
}): string {
  return failures === 0 ? '' : `, ${failures} of ${failuresOf} failed`
}
