import type { Ways } from './ways.ts'

/** Services that keep the contract, each in its own way. */
export const variants = {
  'a plain one': {},

  // Ids.
  'ids that no double holds': { numbers: 'int64' },
  'a matchJobId that no answer names': { matchJobId: 'own' },
  'a matchJobId that is always the first': { matchJobId: 'creating' },

  // Who approves.
  'a group match without an approver': { approver: 'absent' },

  // What is not given, not promised, or not known.
  'no fields where nothing was given': { notGiven: 'absent' },
  'an update that answers nothing': { updated: 'empty' },
  'fields and values that nobody documented': { extras: true, activationStatus: 'LIVE_EVERYWHERE' },
  'matches that do not show their scopes': { scopesShown: false },
  'another activation status': { activationStatus: 'Pending' },

  // Lists.
  'lists that ignore filters': { filters: 'ignored', crowd: 3 },
  'lists with the newest first': { order: 'newest', crowd: 12 },
  'lists of several pages': { crowd: 230 },
  'page fields that are strings': { pageFields: 'strings' },
  'no page fields': { pageFields: 'absent' },
  'matches that are listed once they are done': { listedAfterMs: { segments: 0, matches: 0, activations: 0 } },

  // Jobs.
  'jobs that have ended when they are answered': { firstAnswer: 'terminal' },
  'jobs that cannot be read for three seconds': { jobHiddenMs: 3000 },
  'jobs that are forgotten after a minute': { jobKeptMs: 60_000 },
  'jobs that name what they made when they are read again': { unnamedReads: 1 },
  'jobs that name what they made when they are read a third time': { unnamedReads: 2 },
  'job statuses in an order of their own': {
    jobStatuses: ['RUNNING', 'PENDING_APPROVAL', 'READY', 'QUEUED_FOR_ENGINE', 'PENDING'],
  },

  // Match records.
  'a match that looks finished while its job is at work': {
    recordStatuses: ['FINISHED', 'FAILED', 'APPROVED', 'RUNNING', 'SUBMITTED'],
    jobMs: 5000,
  },

  // Answers.
  '201 for what was made and 204 for what was deleted': { accepted: 201, deleted: 204 },
  '202 for everything': { accepted: 202, deleted: 202 },
  'no content type': { contentType: undefined },
  'a content type with a charset': { contentType: 'application/json; charset=utf-8' },
  '400 for what is gone': { gone: { status: 400, body: 'no' } },
  'an empty 400 for a duplicate': { duplicate: { status: 400, body: '' } },
  'a 409 for a duplicate': { duplicate: { status: 409, body: '<p>nope</p>' } },
  'a 400 in other words for a duplicate': { duplicate: { status: 400, body: '{"fehler":"Kennung vergeben"}' } },
  'files under other names': { uploadName: 'renamed' },
} as const satisfies Record<string, Partial<Ways>>

export type VariantName = keyof typeof variants
