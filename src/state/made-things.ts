import { isSameJson, type JsonObject } from '../core/json.ts'
import type { Sealing } from '../core/sealing.ts'
import { withoutUndefined } from '../core/without-undefined.ts'

/** The kinds of resources that steps make at a service. */
export type MadeKind = 'segment' | 'match' | 'activation'

/** A resource that a step made or requested at the service, or found there and adopted. */
export interface MadeThing {
  readonly kind: MadeKind
  /** The id in lists; undefined while only the job is known. */
  readonly id: string | undefined
  /** The job that makes it; undefined if the response with the job's id was lost, or if the resource was found. */
  readonly job: string | undefined
  /**
   * The step execution that requested it, noted before the request is sent. While neither `id` nor `job` is known, the
   * resource may or may not exist. Undefined if the resource was found.
   */
  readonly request?: string | undefined
  /**
   * The name by which it is looked up. For a segment: its participantSegmentId. For a match: the id of its segment. For
   * an activation: its activationName. Empty in entries of older versions.
   */
  readonly name: string
  /** Parts of the request, such as the partner of a match. The service may not show them. */
  readonly about: JsonObject
  readonly pipeline: string
  /** The key of the step, including the item of a forEach. */
  readonly step: string
  /** Empty in entries of older versions. */
  readonly runId: string
  /** In milliseconds since 1970; 0 in entries of older versions. */
  readonly at: number
  /** Whether the resource was found, that is, no step is known to have made it. */
  readonly found: boolean
}

/**
 * The resources that runs made at one service, so that no step takes the resource of another step. Unlike step memory,
 * these entries do not belong to a step. Unlike the records of a run, they are never removed. `sealing` replaces the
 * secrets of the caller's document.
 */
export interface MadeThings {
  /**
   * Notes a resource. Durable when it resolves. Noting the same resource again changes nothing. If there is an entry
   * with the same id, job or request, completes that entry (see `completed`).
   */
  note(thing: MadeThing, sealing?: Sealing): Promise<void>
  /** Removes the entry of a request that made nothing. Does nothing if the entry has an id or a job. */
  forget(request: string): Promise<void>
  byId(kind: MadeKind, id: string, sealing?: Sealing): Promise<MadeThing | undefined>
  /** All entries with this name, oldest first, including entries with only a job or a request. */
  named(kind: MadeKind, name: string, sealing?: Sealing): Promise<readonly MadeThing[]>
}

export type ReadableMadeThings = Omit<MadeThings, 'note' | 'forget'>

/**
 * Completes the entry of a resource from entries with the same id, job or request, oldest first. The entry of the step
 * that made the resource takes precedence over the entry of a step that found it. If the ids or the jobs differ, it is
 * another resource, because a service may restart its numbering.
 */
export function completed(known: readonly MadeThing[], thing: MadeThing): MadeThing {
  return known.filter((one) => !isOther(one, thing)).reduce(merged, thing)
}

export function isSameEntry(one: MadeThing, other: MadeThing): boolean {
  return isSameJson({ ...one }, { ...other })
}

function isOther(one: MadeThing, other: MadeThing): boolean {
  const differ = (a: string | undefined, b: string | undefined) => a !== undefined && b !== undefined && a !== b
  return differ(one.id, other.id) || differ(one.job, other.job) || differ(one.request, other.request)
}

function merged(newer: MadeThing, known: MadeThing): MadeThing {
  const [first, second] = known.found ? [newer, known] : [known, newer]
  return {
    ...first,
    id: first.id ?? second.id,
    job: first.job ?? second.job,
    request: first.request ?? second.request,
    name: first.name || second.name,
    // The first spread puts the fields in the order of `first.about`, so that noting the same thing again gives the
    // same text.
    about: { ...first.about, ...second.about, ...withoutUndefined(first.about) },
  }
}
