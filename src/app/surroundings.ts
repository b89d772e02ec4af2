import type { Connect } from '../adapter/agent.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { Lists } from '../lists/lists.ts'
import { systemClock } from '../platform/clock.ts'
import { type Machine, thisMachine } from '../platform/machine.ts'
import type { StepServices } from '../steps/define-step.ts'
import type { Disk } from '../triggers/watch/disk.ts'
import type { watchFolders } from '../triggers/watch/folder-events.ts'

/** What a process gets from outside: time, randomness, its identity. Nothing else below `main` has a clock. */
export interface Surroundings {
  readonly clock: SteadyClock
  /** From 0 (included) to 1 (not included). */
  readonly random: () => number
  readonly machine: Machine
  /** Sends requests to the service; if absent, they go over the network. */
  readonly connect?: Connect
  /** Reports changes in watched folders; if absent, the operating system does. */
  readonly watchFolders?: typeof watchFolders
  /** Reads and writes watched folders; if absent, the file system is used. */
  readonly disk?: Disk
  /** Sends the web hooks of steps; if absent, they go over the network. */
  readonly post?: StepServices['post']
  /** Wraps or replaces the service that prepares lists. */
  readonly lists?: (real: Lists) => Lists
}

/** The surroundings on this machine. */
export const systemSurroundings: Surroundings = { clock: systemClock, random: Math.random, machine: thisMachine() }
