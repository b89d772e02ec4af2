import { isDeepStrictEqual } from 'node:util'
import { isLong } from '../support/is-long.ts'
import type { Ways } from './ways.ts'

const NEVER = Number.POSITIVE_INFINITY
const AT_ONCE = Number.NEGATIVE_INFINITY

/** Services that keep the contract, each in its own way. */
export const variants = {
  'a plain one': {},

  // Ids.
  'ids that no double holds': { numbers: 'int64' },
  'numbers for strings and strings for numbers': { idTypes: 'swapped' },
  'opaque segment and job ids': { segmentIds: 'opaque', jobIds: 'opaque', matchId: 'own' },
  'a matchJobId that no answer names': { matchJobId: 'own' },
  'a matchId that is no job': { matchId: 'own', matchPath: 'matchId' },
  'a matchId that is no job, and paths that take the job': { matchId: 'own', matchPath: 'jobId' },
  'a matchJobId, a matchId and a job of three kinds': { matchJobId: 'own', matchId: 'own', matchPath: 'matchId' },
  'a matchJobId that is always the first': { matchJobId: 'creating' },

  // Who approves.
  'a group match without an approver': { approver: 'absent' },
  'a group match with a null approver': { approver: 'null' },
  'a group match approved by the caller': { approver: 'caller' },
  'a group match approved by a member': { approver: 'member' },

  // Ways in which something is absent, not promised, or unknown.
  'no fields where nothing was given': { notGiven: 'absent' },
  'blank texts where nothing was given': { notGiven: 'empty' },
  'segments with an id and a name only': { segmentFields: 'promised' },
  'an update that answers nothing': { updated: 'empty' },
  'fields and values that nobody documented': { extras: true, activationStatus: 'LIVE_EVERYWHERE' },
  'matches that do not show their scopes': { scopesShown: false },
  'another activation status': { activationStatus: 'Pending' },

  // Lists.
  'lists that ignore filters': { filters: 'ignored', crowd: 3 },
  'lists that ignore filters, of segments with an id and a name only': {
    filters: 'ignored',
    segmentFields: 'promised',
    crowd: 3,
  },
  'lists with the newest first': { order: 'newest', crowd: 12 },
  'lists of several pages': { crowd: 230 },
  'page fields that are strings': { pageFields: 'strings' },
  'no page fields': { pageFields: 'absent' },
  'lists that are ten seconds late': { listedAfterMs: { segments: 10_000, matches: 10_000, activations: 10_000 } },
  'nothing in any list': { listedAfterMs: { segments: NEVER, matches: NEVER, activations: NEVER } },
  'a segment that the list never shows': { listedAfterMs: { segments: NEVER, matches: AT_ONCE, activations: 0 } },
  'an activation that the list never shows': { listedAfterMs: { segments: 0, matches: AT_ONCE, activations: NEVER } },
  'a match that the list never shows': { listedAfterMs: { segments: 0, matches: NEVER, activations: 0 } },
  'matches that are listed once they are done': { listedAfterMs: { segments: 0, matches: 0, activations: 0 } },

  // Jobs.
  'jobs that have ended when they are answered': { firstAnswer: 'terminal' },
  'jobs that cannot be read for three seconds': { jobHiddenMs: 3000 },
  'jobs that are forgotten after a minute': { jobKeptMs: 60_000 },
  'jobs that name what they made when they are read again': { unnamedReads: 1 },
  'jobs that name what they made when they are read a third time': { unnamedReads: 2 },
  'jobs that never name a match, whose id is that of the job': { matchUnnamed: true },
  'jobs of changes that name nothing': { changesNamed: false },
  'job statuses in an order of their own': {
    jobStatuses: ['RUNNING', 'PENDING_APPROVAL', 'READY', 'QUEUED_FOR_ENGINE', 'PENDING'],
  },
  'what a job made is 404 for twenty seconds': { madeHiddenMs: 20_000 },
  'what a job made is 400 for three seconds': { madeHiddenMs: 3000, gone: { status: 400, body: '' } },
  'what a job made is 404 for three seconds': { madeHiddenMs: 3000 },

  // Match records.
  'a match that looks finished while its job is at work': {
    recordStatuses: ['FINISHED', 'FAILED', 'APPROVED', 'RUNNING', 'SUBMITTED'],
    jobMs: 5000,
  },
  'a match with a status that nobody documented': { recordEnd: 'ARCHIVING', recordStatuses: ['BREWING'] },
  'a match that stays UNKNOWN': { recordEnd: 'UNKNOWN' },
  'a match that stays DELIVERING': { recordEnd: 'DELIVERING' },

  // Answers.
  '201 for what was made and 204 for what was deleted': { accepted: 201, deleted: 204 },
  '202 for everything': { accepted: 202, deleted: 202 },
  'deflate that nobody asked for': { encoding: 'deflate' },
  'brotli that nobody asked for': { encoding: 'br' },
  'gzip that nobody asked for': { encoding: 'gzip' },
  'no content type': { contentType: undefined },
  'a content type with a charset': { contentType: 'application/json; charset=utf-8' },
  '400 for what is gone': { gone: { status: 400, body: 'no' } },
  'an empty 400 for a duplicate': { duplicate: { status: 400, body: '' } },
  'a 409 for a duplicate': { duplicate: { status: 409, body: '<p>nope</p>' } },
  'a 400 in other words for a duplicate': { duplicate: { status: 400, body: '{"fehler":"Kennung vergeben"}' } },
  'files under other names': { uploadName: 'renamed' },
} as const satisfies Record<string, Partial<Ways>>

export type VariantName = keyof typeof variants

/** Combinations that contradict each other, or that leave nothing to distinguish things by. */
const NEVER_TOGETHER: readonly (readonly [keyof Ways, keyof Ways])[] = [
  ['filters', 'segmentFields'],
  ['matchUnnamed', 'matchId'],
  // When the job is forgotten, nothing shows that the match has ended: the next night would wait for it.
  ['jobKeptMs', 'recordEnd'],
]

/**
 * As few services as possible that have all these variants: each service combines as many as possible without a
 * contradiction.
 */
function together(names: readonly VariantName[]): readonly (readonly [names: string, Partial<Ways>])[] {
  const services: { readonly names: VariantName[]; ways: Partial<Ways> }[] = []
  for (const name of names) {
    const fits = ({ ways }: { readonly ways: Partial<Ways> }) => {
      const all = [...Object.keys(ways), ...Object.keys(variants[name])]
      return new Set(all).size === all.length && !NEVER_TOGETHER.some((two) => two.every((key) => all.includes(key)))
    }
    const service = services.find(fits)
    if (!service) services.push({ names: [name], ways: variants[name] })
    else {
      service.names.push(name)
      service.ways = { ...service.ways, ...variants[name] }
    }
  }
  return services.map(({ names, ways }) => [names.join(', '), ways])
}

/** In the long form, each of these variants is a separate service. */
export function servicesOf(names: readonly VariantName[]): readonly (readonly [names: string, Partial<Ways>])[] {
  return isLong ? names.map((name) => [name, variants[name]]) : together(names)
}

/** Services and their expected results. A variant with its own result is alone in its service. */
export function byExpected(
  names: readonly VariantName[],
  expectedOf: (name: VariantName) => readonly unknown[],
): readonly (readonly [names: string, ways: Partial<Ways>, expected: readonly unknown[]])[] {
  const plain = expectedOf('a plain one')
  const alone = names.filter((name) => !isDeepStrictEqual(expectedOf(name), plain))
  return [
    ...alone.map((name) => [name, variants[name], expectedOf(name)] as const),
    ...servicesOf(names.filter((name) => !alone.includes(name))).map((service) => [...service, plain] as const),
  ]
}
