/** What the dialog of an act is given. */
export interface ActProps {
  /** Called after the act. */
  readonly done: () => void
  readonly onClose: () => void
}

/** What the dialog of an act on a trigger is given. */
export interface TriggerActProps extends ActProps {
  readonly pipeline: string
  readonly trigger: string
}
