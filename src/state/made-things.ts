import { type JsonObject, stringifyJson } from '../core/json.ts'
import { withoutUndefined } from '../core/without-undefined.ts'

/** What steps make at a service. */
export type MadeKind = 'segment' | 'match' | 'activation'

/** Something that a step made at the service, asked for, or found there and took for its own. */
export interface MadeThing {
  readonly kind: MadeKind
  /** The id that lists show; undefined while only the job is known. */
  readonly id: string | undefined
  /** The job that makes it; undefined if the answer that named it was lost, or if the thing was found. */
  readonly job: string | undefined
  /**
   * Which step execution asked for it: noted before the request is sent. While neither id nor job is known, nobody knows
   * whether the thing was made. Undefined if the thing was found.
   */
  readonly request?: string | undefined
  /**
   * What its likes are looked up by: of a segment its participantSegmentId, of a match the id of its segment, of an
   * activation its activationName. Empty for entries of older versions.
   */
  readonly name: string
  /** What it was asked for with, such as the partner of a match: the service need not show it. */
  readonly about: JsonObject
  readonly pipeline: string
  /** The key of the step, with the item of a forEach. */
  readonly step: string
  /** Empty for entries of older versions. */
  readonly runId: string
  /** Milliseconds since 1970; 0 for entries of older versions. */
  readonly at: number
  /** It was there before: no step is known to have made it. */
  readonly found: boolean
}

/**
 * What runs made at one service, so that no step takes the thing of another. Unlike the step memory it does not belong
 * to a step, and unlike the records of a run it is never removed.
 */
export interface MadeThings {
  /**
   * Durable when it resolves; noting the same again changes nothing. An entry with the same id, job or request is
   * completed (see `completed`).
   */
  note(thing: MadeThing): Promise<void>
  /** Removes the entry of a request that made nothing; does nothing if an id or a job is known. */
  forget(request: string): Promise<void>
  byId(kind: MadeKind, id: string): Promise<MadeThing | undefined>
  /** All things of this name, oldest first, including those of which only the job or the request is known. */
  named(kind: MadeKind, name: string): Promise<readonly MadeThing[]>
}

export type ReadableMadeThings = Omit<MadeThings, 'note' | 'forget'>

/**
 * The entry for a thing of which others with the same id, job or request are known, oldest first. Who made it counts
 * more than who found it. Another id for the same job, or another job for the same id, is another thing: a service may
 * begin to count anew.
 */
export function completed(known: readonly MadeThing[], thing: MadeThing): MadeThing {
  return known.filter((one) => !isOther(one, thing)).reduce(merged, thing)
}

export function isSameEntry(one: MadeThing, other: MadeThing): boolean {
  return stringifyJson(jsonOf(one)) === stringifyJson(jsonOf(other))
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
    // The first spread keeps the order of its fields, so that the same note is the same text.
    about: { ...first.about, ...second.about, ...withoutUndefined(first.about) },
  }
}

function jsonOf(thing: MadeThing): JsonObject {
  const { kind, id, job, request, name, about, pipeline, step, runId, at, found } = thing
  return {
    kind,
    id: id ?? null,
    job: job ?? null,
    request: request ?? null,
    name,
    about,
    pipeline,
    step,
    runId,
    at,
    found,
  }
}
