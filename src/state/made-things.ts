import { type JsonObject, stringifyJson } from '../core/json.ts'
import { withoutUndefined } from '../core/without-undefined.ts'

/** The kinds of resources that steps make at a service. */
export type MadeKind = 'segment' | 'match' | 'activation'

/** A resource that a step made at the service, asked for, or found there and adopted. */
export interface MadeThing {
  readonly kind: MadeKind
  /** The id that lists show; undefined while only the job is known. */
  readonly id: string | undefined
  /** The job that makes it; undefined if the answer that named it was lost, or if the thing was found. */
  readonly job: string | undefined
  /**
   * The step execution that asked for it, noted before the request is sent. While neither id nor job is known, it may
   * or may not exist. Undefined if it was found.
   */
  readonly request?: string | undefined
  /**
   * The name for look-ups: for a segment its participantSegmentId, for a match the id of its segment, for an activation
   * its activationName. Empty for entries of older versions.
   */
  readonly name: string
  /** Parts of the request, such as the partner of a match: the service need not show them. */
  readonly about: JsonObject
  readonly pipeline: string
  /** The key of the step, with the item of a forEach. */
  readonly step: string
  /** Empty for entries of older versions. */
  readonly runId: string
  /** Milliseconds since 1970; 0 for entries of older versions. */
  readonly at: number
  /** It existed before: no step is known to have made it. */
  readonly found: boolean
}

/**
 * The resources that runs made at one service, so that no step takes one of another step. Unlike the step memory it
 * does not belong to a step, and unlike the records of a run it is never removed.
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
  /** All entries of this name, oldest first, including those with only a known job or request. */
  named(kind: MadeKind, name: string): Promise<readonly MadeThing[]>
}

export type ReadableMadeThings = Omit<MadeThings, 'note' | 'forget'>

/**
 * The entry for a resource, completed from entries with the same id, job or request, oldest first. An entry of the
 * maker counts more than one of a finder. Another id for the same job, or another job for the same id, is another
 * resource: a service may start its numbers again.
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
