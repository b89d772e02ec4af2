import type { Logger } from 'pino'
import { serviceOf, serviceOfProfile } from '../config/choose-service.ts'
import type { Settings } from '../config/settings.ts'
import type { Engine } from '../core/engine.ts'
import type { AudienceError } from '../core/errors.ts'
import type { Secrets } from '../core/secrets.ts'
import type { SharingEngine } from '../engine/distributed/sharing-engine.ts'
import type { EngineDeps } from '../engine/engine-deps.ts'
import type { State } from '../state/state.ts'
import type { Surroundings } from './surroundings.ts'

/** A state that is open for work, and the engine on top of it. */
export interface OpenWork {
  readonly state: State
  /** Repeats work on the database during an outage, until it succeeds or the signal aborts. Absent for a folder. */
  throughOutages?<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Why writes no longer reach the state; undefined while they do. */
  trouble(): AudienceError | undefined
  openEngine(deps: EngineDeps): Promise<WorkEngine>
}

interface WorkEngine {
  readonly engine: Engine
  /** The same engine, if other processes are working on the same state. */
  readonly sharing?: SharingEngine
}

export interface WorkOptions {
  settings: Settings
  secrets: Secrets
  surroundings: Surroundings
  log: Pick<Logger, 'warn' | 'info'>
  /** Whether a run that the caller names continues at this service even if it belongs to another one. */
  otherService?: boolean
  /** Which runs of a database this process works on: `all`, or only its `own`, which it submits or resumes. */
  takes: 'all' | 'own'
  /**
   * Set if this process itself answers reads that cover many runs. It needs no thread for them, because it has nothing
   * else to do in the meantime.
   */
  readsHere?: true
  /** The version of this program. */
  version: string
}

/** How a state is opened for the service of these settings. */
export function stateOptions({ settings, secrets, surroundings, otherService = false }: WorkOptions) {
  const meantByProfile = serviceOfProfile(settings)
  return {
    redact: (text: string) => secrets.redact(text),
    clock: surroundings.clock,
    machine: surroundings.machine,
    here: { ...serviceOf(settings), takesOthers: otherService },
    meantByProfile,
  }
}
