/** Whether a list at the top of a page may grow there without moving what somebody reads. */
export function isTopInSight(): boolean {
  return scrollY < 80
}
