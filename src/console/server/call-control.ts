import type { JsonObject } from '../../core/json.ts'

/** All that the console may ask of the control API of the embedded service. */
export type ControlOperation =
  | 'participants.list'
  | 'groups.list'
  | 'segments.list'
  | 'matches.list'
  | 'activations.list'
  | 'jobs.list'
  | `jobs.${'approve' | 'reject' | 'fail' | 'hold' | 'release'}`
  | 'requests.list'
  | 'faults.list'
  | 'faults.add'
  | 'faults.delete'
  | 'clock.get'
  | `clock.${'freeze' | 'thaw' | 'advance'}`

/** Calls one of them with its fields. Throws an AudienceError if it is refused or does not work. */
export type CallControl = (operation: ControlOperation, input: object) => Promise<JsonObject>
