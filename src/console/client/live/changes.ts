import type { StreamEvents } from '../../api/events.ts'

/**
 * An event of the stream, or what happened in this page: the stream was lost or did not open, or an action was
 * performed.
 */
export type Change =
  | { [Kind in keyof StreamEvents]: { readonly kind: Kind } & StreamEvents[Kind] }[keyof StreamEvents]
  | { readonly kind: 'lost' | 'acted' }

const listeners = new Set<(change: Change) => void>()

/** Calls `listener` with every change, in every tab. Returns a function that stops the calls. */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function emitChange(change: Change): void {
  for (const listener of [...listeners]) listener(change)
}

/** Whether a change is one of these kinds. */
export function ofKind(...kinds: readonly Change['kind'][]): (change: Change) => boolean {
  return ({ kind }) => kinds.includes(kind)
}

/** Whether a change concerns a run. */
export function ofRun(runId: string): (change: Change) => boolean {
  return (change) => {
    if (change.kind === 'runs') return change.runs.some((run) => run.runId === runId)
    return change.kind === 'steps' && change.runIds.includes(runId)
  }
}
