/** Whether a number of this name counts or measures something. An id does not, nor does a participant: nobody adds or compares them. */
export function isFigure(name: string): boolean {
  return !/(?:^id|Id|ID|[-_]id|[rR]equest[eo]r|[aA]pprover|[oO]wner)$/.test(name)
}
