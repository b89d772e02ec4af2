import type { Connect } from '../adapter/agent.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { Lists } from '../lists/lists.ts'
import { systemClock } from '../platform/clock.ts'
import { type Machine, thisMachine } from '../platform/machine.ts'
import type { StepServices } from '../steps/define-step.ts'
import type { Disk } from '../triggers/watch/disk.ts'
import type { watchFolders } from '../triggers/watch/folder-events.ts'

/**
 * What a process gets from outside: time, randomness, and its identity for others. Nothing else below `main` has a
 * clock.
 */
export interface Surroundings {
  readonly clock: SteadyClock
  /** From 0 (included) to 1 (not included). */
  readonly random: () => number
  readonly machine: Machine
  /** Sends requests to the service; over the network if absent. */
  readonly connect?: Connect
  /** Reports changes in watched folders; the operating system if absent. */
  readonly watchFolders?: typeof watchFolders
  /** Reads and writes watched folders; the file system if absent. */
  readonly disk?: Disk
  /** Sends the web hooks of steps; over the network if absent. */
  readonly post?: StepServices['post']
  /** Wraps or replaces the service that prepares lists. */
  readonly lists?: (real: Lists) => Lists
}

/** The surroundings on this machine. */
export const systemSurroundings: Surroundings = { clock: systemClock, random: Math.random, machine: thisMachine() }
