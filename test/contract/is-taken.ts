/** Whether a decision is accepted. It is refused while another one has not been processed. */
export const isTaken = (decision: Promise<unknown>): Promise<boolean> =>
  decision.then(
    () => true,
    () => false,
  )
