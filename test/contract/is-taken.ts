/** Whether a decision is taken. It is refused while another has not been looked at. */
export const isTaken = (decision: Promise<unknown>): Promise<boolean> =>
  decision.then(
    () => true,
    () => false,
  )
