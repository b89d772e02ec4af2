import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { createApiClient } from '../../src/adapter/create-api-client.ts'
import { staticToken } from '../../src/adapter/tokens.ts'
import type { AudienceError } from '../../src/core/errors.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { openLists } from '../../src/lists/open-lists.ts'
import { openNamed } from '../../src/platform/open-regular.ts'
import { fakeClock } from '../adapter/fake-clock.ts'
import { type Reply, type Seen, scriptedServer } from '../adapter/scripted-server.ts'
import { freeClaims } from './support/free-claims.ts'
import { memoryMadeThings } from './support/memory-made-things.ts'
import { memoryStepMemory } from './support/memory-step-memory.ts'
import { activationInput, matchInput } from './support/nightly.ts'
import { stepRun } from './support/step-run.ts'

/** Services that keep the contract differently from ours, scripted answer by answer. */

type Script = (request: Seen & { readonly at: string }) => Reply | undefined

/** Steps against a scripted service. Requests that the script does not contain get 404. */
async function against(script: Script) {
  const server = await scriptedServer((seen) => {
    const at = `${seen.method} ${seen.url.replace('/p/1001', '').replace(/\?.*/, '')}`
    return script({ ...seen, at }) ?? { status: 404 }
  })
  const clock = fakeClock()
  const api = createApiClient({
    baseUrl: server.url,
    token: staticToken('t'),
    clock,
    random: () => 0.5,
    log: pino({ level: 'silent' }),
    redact: (text) => text,
    limits: { retry: { maxAttempts: 1 } },
  })
  const noRuns = () => Promise.reject(new Error('no test here starts runs'))
  const services = {
    api,
    stepMemory: memoryStepMemory(),
    made: memoryMadeThings(),
    profile: 'test',
    clock,
    childRuns: { submit: noRuns, end: noRuns, cancelAll: noRuns },
    openFile: openNamed,
    openUpload: openNamed,
    redact: (text: string) => text,
    lists: openLists({ folder: '/nowhere', sources: {}, suppress: [] }),
    membership: { record: async () => undefined, compare: async () => undefined },
    post: () => Promise.reject(new Error('no test here posts')),
    claims: freeClaims,
  }
  return {
    clock,
    step: (uses: string, input: JsonObject, runId = 'run-1', waits?: false) =>
      stepRun(uses, input, services, { runId, ...(waits === false && { await: waits }) }),
    sent: (at: RegExp) => server.seen.filter(({ method, url }) => at.test(`${method} ${url.replace('/p/1001', '')}`)),
    async [Symbol.asyncDispose]() {
      await api.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

const ok = (json: unknown): Reply => ({ json })
const page = (key: string, items: readonly unknown[]) => ok({ [key]: items, page: 0, pageSize: 100, hasMore: false })
const segment = ok({ id: 's', segmentName: 'Autos' })
const created = ({ at }: { at: string }) => at === 'POST /api/segments/match'
const match = (more: object = {}) => ({ matchId: 7, segmentId: 's', status: 'FINISHED', ...more })

const OTHER = [{ matchApprover: 2002 }, 'match-undecided'] as const
const UNSEEN = [{}, 'refreshed', false] as const
const FAILED = { status: 'FAILED' }
const CHANGED = [{ matchApprover: 2002 }, 'refreshed'] as const

describe('a match', () => {
  test('whose job says SUCCESS without its id is read by the id of the job (decisions 71, 139)', async () => {
    await using other = await against(({ at }) => {
      if (at === 'GET /api/segments/s') return segment
      if (at === 'GET /api/segments/match') return page('matches', [])
      if (at === 'POST /api/segments/match') return ok({ id: '7', status: 'PENDING' })
      if (at === 'GET /api/jobs/7') return ok({ id: '7', status: 'SUCCESS' })
      return at === 'GET /api/segments/match/7' ? ok(match({ matchCount: 3 })) : undefined
    })
    expect(await other.step('matches.create', matchInput('s')).go()).toMatchObject({ matchId: '7', matchCount: 3 })
    expect(other.sent(/GET \/api\/jobs\/7/)).toHaveLength(4)
  })

  test.each([
    ['of another segment', { segmentId: 'other' }],
    ['with other scopes', { deliveryScope: ['VOD_ACTIVE'] }],
    ['of this segment with another group, made before', {}],
  ])('whose job has the number of a match %s is not that one (decision 139)', async (_, theirs) => {
    let isMade = false
    await using other = await against((request) => {
      const { at } = request
      isMade ||= created(request)
      if (at === 'GET /api/segments/s') return segment
      if (at === 'GET /api/segments/match')
        return page('matches', [match(theirs), ...(isMade ? [match({ matchId: 8 })] : [])])
      if (created(request) || at === 'GET /api/jobs/7') return ok({ id: '7', status: 'SUCCESS' })
      if (at === 'GET /api/segments/match/7') return ok(match(theirs))
      return at === 'GET /api/segments/match/8' ? ok(match({ matchId: 8, matchCount: 3 })) : undefined
    })
    expect(await other.step('matches.create', matchInput('s')).go()).toMatchObject({ matchId: '8', matchCount: 3 })
  })

  test('that an earlier run began, with the number of a match of another segment, is not that one (decision 139)', async () => {
    let isMade = false
    // The approver proves its partner (decision 153).
    const own = match({ matchId: 8, matchApprover: 9001 })
    await using other = await against((request) => {
      const { at } = request
      isMade ||= created(request)
      if (at === 'GET /api/segments/s') return segment
      if (at === 'GET /api/segments/match') return page('matches', isMade ? [own] : [])
      if (at === 'GET /api/partners') return ok({ partners: [] })
      if (created(request) || at === 'GET /api/jobs/7') return ok({ id: '7', status: 'SUCCESS' })
      if (at === 'POST /api/segments/match/refresh/8') return { status: 202, json: { id: '9', status: 'SUCCESS' } }
      if (at === 'GET /api/jobs/9') return ok({ id: '9', status: 'SUCCESS' })
      if (at === 'GET /api/segments/match/7') return ok(match({ segmentId: 'other' }))
      return at === 'GET /api/segments/match/8' ? ok(own) : undefined
    })
    await other.step('matches.ensure', matchInput('s'), '1', false).go()
    expect(await other.step('matches.ensure', matchInput('s'), '2').go()).toMatchObject({ matchId: '8' })
    expect(other.sent(/POST \/api\/segments\/match$/)).toHaveLength(1)
  })

  test('that nothing shows although its job succeeded is an error that names the job (decision 139)', async () => {
    await using other = await against(({ at }) => {
      if (at === 'GET /api/segments/s') return segment
      if (at === 'GET /api/segments/match') return page('matches', [])
      return at === 'POST /api/segments/match' || at === 'GET /api/jobs/j'
        ? ok({ id: 'j', status: 'SUCCESS' })
        : undefined
    })
    await expect(other.step('matches.create', matchInput('s')).go()).rejects.toMatchObject({ code: 'job-without-id' })
  })

  test('found after a lost answer is waited for by its matchJobId (decision 140)', async () => {
    let made = false
    await using other = await against((request) => {
      const { at } = request
      if (at === 'GET /api/segments/s') return segment
      if (at === 'GET /api/segments/match')
        return page('matches', made ? [match({ matchJobId: '9', matchApprover: 9001 })] : [])
      if (at === 'GET /api/partners') return ok({ partners: [] })
      if (created(request)) {
        made = true
        return 'reset'
      }
      if (at === 'GET /api/jobs/9') return ok({ id: '9', status: 'SUCCESS', matchId: '7' })
      return at === 'GET /api/segments/match/7' ? ok(match()) : undefined
    })
    expect(await other.step('matches.create', matchInput('s')).go()).toMatchObject({ jobId: '9', matchId: '7' })
    expect(other.sent(/POST/)).toHaveLength(1)
  })

  /** The partner of the new match, as far as the service shows it. Group 9001 has the member 2001. */
  const ASKS = 'not known whom it is with'
  const NOT_THERE = 'it is not there (yet)'
  test.each<[string, { partnerId?: number; groupsFail?: true }, Json, string | undefined]>([
    ['group 9001 shows no approver', {}, null, ASKS],
    ['group 9001 shows the caller', {}, 1001, ASKS],
    ['group 9001 shows a member', {}, 2001, ASKS],
    ['group 9001 shows one who is no member', {}, 2002, NOT_THERE],
    ['group 9001 shows the group', {}, 9001, undefined],
    ['partner 2002 shows no approver', { partnerId: 2002 }, null, ASKS],
    ['partner 2002, who is in no group, is shown', { partnerId: 2002 }, 2002, undefined],
    ['partner 2002 is shown, and nobody can say in which groups', { partnerId: 2002, groupsFail: true }, 2002, ASKS],
    ['partner 2001, who is in a group, is shown', { partnerId: 2001 }, 2001, ASKS],
    ['partner 2002 is wanted, and another one is shown', { partnerId: 2002 }, 2003, NOT_THERE],
  ])('that is new after a lost answer: %s (decisions 137, 153)', async (_, { partnerId, groupsFail }, shown, asks) => {
    let made = false
    const theirs = match({ matchJobId: '9', matchRequestor: 1001, matchApprover: shown })
    await using other = await against((request) => {
      const { at } = request
      if (at === 'GET /api/segments/s') return segment
      if (at === 'GET /api/segments/match') return page('matches', made ? [theirs] : [])
      if (at === 'GET /api/partners') return ok({ partners: [2001, 2002].map((id) => ({ id, name: `${id}` })) })
      if (at === 'GET /api/groups')
        return groupsFail ? { status: 403 } : ok({ group: [{ groupId: '9001', groupName: 'G', groupMembers: [2001] }] })
      if (created(request)) {
        made = true
        return 'reset'
      }
      if (at === 'GET /api/jobs/9') return ok({ id: '9', status: 'SUCCESS', matchId: '7' })
      return at === 'GET /api/segments/match/7' ? ok(theirs) : undefined
    })
    const { groupId, ...rest } = matchInput('s')
    const run = other.step('matches.create', partnerId === undefined ? { ...rest, groupId } : { ...rest, partnerId })
    const end = run.go().then(
      ({ matchId }) => matchId,
      ({ message }) => message,
    )
    expect(await end).toEqual(asks === undefined ? '7' : expect.stringContaining(asks))
    if (asks !== ASKS) return
    run.decide('done')
    expect(await run.go()).toMatchObject({ matchId: '7' })
    expect(other.sent(/POST/)).toHaveLength(1)
  })

  test('that cannot be seen after a lost answer is for a person, never sent again (decision 137)', async () => {
    await using other = await against((request) => {
      if (request.at === 'GET /api/segments/s') return segment
      return created(request) ? 'reset' : page('matches', [])
    })
    const run = other.step('matches.create', matchInput('s'))
    const error: unknown = await run.go().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'outcome-unknown',
      message: expect.stringContaining('create) and got no answer'),
    })
    run.retry(error as AudienceError)
    await expect(run.go()).rejects.toMatchObject({
      message: expect.stringContaining('(matches.create) in attempt 1 of run run-1 and got no answer'),
    })
    expect(other.sent(/POST/)).toHaveLength(1)
  })

  test.each([2001, 1001, null])(
    'of a group whose approver is %s is the one of the night before, whatever the list says (decisions 137, 138)',
    async (matchApprover) => {
      const one = match({ matchApprover, matchJobId: '7' })
      await using other = await against(({ at }) => {
        if (at === 'GET /api/segments/s') return segment
        if (at === 'GET /api/segments/match') return page('matches', [])
        if (/^(POST|GET) \/api\/(segments\/match|jobs\/7)$/.test(at))
          return ok({ id: '7', status: 'SUCCESS', matchId: '7' })
        if (at === 'POST /api/segments/match/refresh/7') return { status: 202, json: { id: '7', status: 'SUCCESS' } }
        return at === 'GET /api/segments/match/7' ? ok(one) : undefined
      })
      const actions = []
      for (const runId of ['1', '2'])
        actions.push((await other.step('matches.ensure', matchInput('s'), runId).go()).action)
      expect(actions).toEqual(['created', 'refreshed'])
      expect(other.sent(/POST \/api\/segments\/match$/)).toHaveLength(1)
    },
  )

  /** What match 7 shows each night, and what the step then does. */
  test.each<[string, readonly (readonly [shown: object, act: string, waits?: false])[]]>([
    ['it showed when it was made', [[{ matchApprover: 2001 }, 'created'], OTHER]],
    ['it showed when it was refreshed', [[{}, 'created'], [{ matchApprover: 2001 }, 'refreshed'], OTHER]],
    ['it once showed', [[{ matchApprover: 2001 }, 'created'], [{}, 'refreshed'], OTHER]],
    ['it showed before a refresh that nobody waited for', [[{ matchApprover: 2001 }, 'created'], UNSEEN, OTHER]],
    ['the one before it showed', [[{ matchApprover: 2001 }, 'created'], [FAILED, 'created', false], CHANGED]],
  ])('of a group is known by the approver that %s (decision 138)', async (_, nights) => {
    let shown: object = {}
    let made = 0
    await using other = await against((request) => {
      const { at } = request
      if (at === 'GET /api/segments/s') return segment
      if (at === 'GET /api/segments/match') return page('matches', [])
      if (created(request)) made += 1
      const id = String(6 + made)
      const job = { id: at.split('/')[3] ?? '', status: 'SUCCESS', matchId: id }
      if (at.startsWith('GET /api/jobs/')) return ok(job)
      if (created(request)) return ok({ id: '70', status: 'SUCCESS' })
      if (at.startsWith('POST /api/segments/match/refresh/'))
        return { status: 202, json: { id: '71', status: 'SUCCESS' } }
      return at === `GET /api/segments/match/${id}` ? ok(match({ matchId: id, ...shown })) : undefined
    })
    const acts: unknown[] = []
    for (const [night, [seen, , waits]] of nights.entries()) {
      shown = seen
      const end = other.step('matches.ensure', matchInput('s'), `${night}`, waits).go()
      acts.push(
        await end.then(
          ({ action }) => action,
          ({ code }) => code,
        ),
      )
    }
    expect(acts).toEqual(nights.map(([, act]) => act))
  })

  test('that takes the place of one that is gone does not have its approver (decision 138)', async () => {
    let night = 1
    const other8 = { matchId: 8, matchApprover: 9001 }
    await using other = await against((request) => {
      const { at } = request
      if (at === 'GET /api/segments/s') return segment
      if (at === 'GET /api/segments/match') return page('matches', night === 1 ? [] : [match(other8)])
      if (at === 'GET /api/partners') return ok({ partners: [] })
      if (created(request) || at === 'GET /api/jobs/70') return ok({ id: '70', status: 'SUCCESS', matchId: '7' })
      if (at === 'POST /api/segments/match/refresh/8') return { status: 202, json: { id: '71', status: 'SUCCESS' } }
      if (at === 'GET /api/jobs/71') return ok({ id: '71', status: 'SUCCESS' })
      if (at === 'GET /api/segments/match/7' && night === 1) return ok(match({ matchApprover: 2001 }))
      if (at === 'GET /api/segments/match/8') return ok(match({ matchId: 8, matchApprover: night === 3 ? 9001 : null }))
      return undefined
    })
    const acts: unknown[] = []
    for (; night <= 3; night += 1)
      acts.push((await other.step('matches.ensure', matchInput('s'), `${night}`).go()).action)
    expect(acts).toEqual(['created', 'refreshed', 'refreshed'])
  })

  test('of which two are listed and none remembered is for a person, who may take the newest (decision 137)', async () => {
    const two = [match({ matchId: 7 }), match({ matchId: 8 })]
    await using other = await against(({ at }) => {
      if (at === 'GET /api/segments/s') return segment
      if (at === 'GET /api/segments/match') return page('matches', two)
      if (at === 'POST /api/segments/match/refresh/8') return { status: 202, json: { id: '9', status: 'SUCCESS' } }
      if (at === 'GET /api/jobs/9') return ok({ id: '9', status: 'SUCCESS' })
      return at === 'GET /api/segments/match/8' ? ok(two[1]) : undefined
    })
    const run = other.step('matches.ensure', matchInput('s'))
    await expect(run.go()).rejects.toMatchObject({ code: 'match-undecided', reason: 'decision' })
    run.decide('done')
    expect(await run.go()).toMatchObject({ action: 'refreshed', matchId: '8' })
  })

  test('that stays DELIVERING after its job succeeded is done (decision 143)', async () => {
    await using other = await against(({ at }) => {
      if (at === 'GET /api/segments/s') return segment
      if (at === 'GET /api/segments/match')
        return page('matches', [match({ status: 'DELIVERING', matchJobId: '7', matchApprover: 9001 })])
      if (at === 'GET /api/partners') return ok({ partners: [] })
      if (at === 'POST /api/segments/match/refresh/7') return { status: 202, json: { id: '9', status: 'SUCCESS' } }
      if (at.startsWith('GET /api/jobs/')) return ok({ id: at.slice(14), status: 'SUCCESS', matchId: '7' })
      return at === 'GET /api/segments/match/7' ? ok(match({ status: 'DELIVERING' })) : undefined
    })
    expect((await other.step('matches.ensure', matchInput('s')).go()).action).toBe('refreshed')
  })

  test('gets the value of a custom scope by its label, and unknown labels are not sent (decisions 26, 146)', async () => {
    const details = [
      { label: 'Sports fans', value: 'CUSTOM_2' },
      { label: 'Twice', value: 'CUSTOM_3' },
      { label: 'Twice', value: 'CUSTOM_4' },
    ]
    await using other = await against(({ at }) => {
      if (at === 'GET /api/partners/5')
        return ok({ id: 5, name: 'P', deliveryScopes: ['REGIONAL'], customDeliveryScopesDetail: details })
      if (at === 'GET /api/segments/s') return segment
      if (at === 'GET /api/segments/match') return page('matches', [])
      if (at === 'POST /api/segments/match') return ok({ id: '7', status: 'SUCCESS', matchId: '7' })
      if (at === 'GET /api/jobs/7') return ok({ id: '7', status: 'SUCCESS', matchId: '7' })
      return at === 'GET /api/segments/match/7' ? ok(match()) : undefined
    })
    const create = (...deliveryScopes: string[]) => {
      const { groupId: _groupId, ...input } = matchInput('s')
      return other.step('matches.create', { ...input, partnerId: 5, deliveryScopes }).go()
    }
    const listed = 'Sports fans (CUSTOM_2), Twice (CUSTOM_3), Twice (CUSTOM_4)'
    for (const scope of ['Sport fans', 'Twice']) {
      await expect(create(scope)).rejects.toMatchObject({
        code: 'unknown-scope',
        hint: expect.stringContaining(listed),
      })
    }
    expect(other.sent(/POST/)).toEqual([])
    await create('Sports fans', 'CABLE', 'REGIONAL')
    expect(JSON.parse(other.sent(/POST/)[0]!.body).deliveryScopes).toEqual(['CUSTOM_2', 'CABLE', 'REGIONAL'])
  })
})

describe('an activation', () => {
  /** A service whose list is empty. It counts the things that it made and has. */
  async function listless(show: object = {}, lateMs = 0) {
    const made: JsonObject[] = []
    const gone = new Set<string>()
    let madeAt = 0
    const other = await against(({ at, body }) => {
      if (at === 'POST /api/activations') {
        made.push(JSON.parse(body))
        madeAt = other.clock.now()
        return ok({ id: `j${made.length}`, status: 'PENDING' })
      }
      const [, id] = /^GET \/api\/jobs\/j(\d+)/.exec(at) ?? []
      if (id) return ok({ id: `j${id}`, status: 'SUCCESS', activationId: id })
      const [, method, number] = /^(GET|DELETE) \/api\/activations\/(\d+)/.exec(at) ?? []
      if (number && method === 'DELETE') gone.add(number)
      if (number && !gone.has(number) && other.clock.now() - madeAt >= lateMs)
        return ok({ ActivationId: number, ActivationName: 'Autos Q4', Status: 'Activated', ...show })
      if (number) return { status: method === 'DELETE' ? 200 : 400 }
      return at === 'GET /api/activations/activations' ? page('activations', []) : undefined
    })
    const night = (runId: string, more: JsonObject = {}) =>
      other.step('activations.ensure', { ...activationInput('s', '1'), ...more }, runId).go()
    return { night, made, gone, [Symbol.asyncDispose]: () => other[Symbol.asyncDispose]() }
  }

  test('that the list does not show, with texts as "", is the one of the night before (decision 138)', async () => {
    await using other = await listless({ campaign: '', agency: '', brand: '' })
    expect(await other.night('1')).toMatchObject({ action: 'created', activationId: '1' })
    expect(await other.night('2')).toMatchObject({ action: 'unchanged', activationId: '1', changed: [] })
    expect(other.made).toHaveLength(1)
  })

  test('may be 404 for 30 s after its job succeeded (decision 141)', async () => {
    await using other = await listless({}, 29_000)
    expect(await other.night('1')).toMatchObject({ action: 'created', Status: 'Activated' })
    expect(other.made).toHaveLength(1)
  })

  test('that does not show for longer is never made again by the next night: a person decides (decision 141)', async () => {
    await using other = await listless({}, 3_600_000)
    await expect(other.night('1')).rejects.toMatchObject({ code: 'not-found' })
    await expect(other.night('2')).rejects.toMatchObject({
      code: 'outcome-unknown',
      message: expect.stringMatching(
        /\(activations.create\) in run \S+ and got job \S+; .*but the service does not show it/,
      ),
    })
    expect(other.made).toHaveLength(1)
  })

  test('that is asked for otherwise than it was made fails, is kept, or is replaced (decision 147)', async () => {
    await using other = await listless()
    const changes = { refreshRate: 60, brand: 'New', campaignEndDate: '2027-01-01T00:00:00Z' }
    const changed = ['refreshRate', 'brand', 'campaignEndDate']
    await other.night('1')
    await expect(other.night('2', changes)).rejects.toMatchObject({
      code: 'activation-conflict',
      message: expect.stringContaining('refreshRate, brand, campaignEndDate'),
    })
    expect(await other.night('3', { ...changes, onChange: 'keep' })).toMatchObject({ action: 'unchanged', changed })
    expect(await other.night('4', { ...changes, onChange: 'keep' })).toMatchObject({ action: 'unchanged', changed })
    expect([other.made.length, other.gone.size]).toEqual([1, 0])
    expect(await other.night('5', { ...changes, onChange: 'replace' })).toMatchObject({
      action: 'replaced',
      activationId: '2',
      changed,
    })
    expect([other.made.length, [...other.gone]]).toEqual([2, ['1']])
    expect(other.made[1]).not.toHaveProperty('onChange')
    expect(await other.night('6', changes)).toMatchObject({ action: 'unchanged', activationId: '2', changed: [] })
  })
})

describe('a segment', () => {
  const input = {
    segmentFileName: 'a.csv',
    participantSegmentId: 'autos',
    segmentName: 'Autos',
    uploadSignal: 'EMAIL',
    resultContent: 'BGID',
    providerId: 1001,
  }

  test.each([400, 409])(
    'whose creation is lost and refused with an empty %d is looked for (decision 144)',
    async (status) => {
      let sent = 0
      await using other = await against(({ at }) => {
        if (at === 'POST /api/segments') return ++sent === 1 ? 'reset' : { status }
        const isThere = sent > 0 && other.clock.now() > Date.UTC(2026, 0, 31) + 60_000
        if (at === 'GET /api/segments') return page('segments', isThere ? [{ id: 's', ...input }] : [])
        return at === 'GET /api/segments/s' ? segment : undefined
      })
      expect(await other.step('segments.create', input).go()).toMatchObject({ segmentId: 's' })
    },
  )

  test('of somebody else is not taken over where the list ignores its filter and shows little (decision 48)', async () => {
    await using other = await against(({ at }) => {
      if (at === 'POST /api/segments') return ok({ id: 'j', status: 'SUCCESS', segmentId: 'mine' })
      if (at === 'GET /api/jobs/j') return ok({ id: 'j', status: 'SUCCESS', segmentId: 'mine' })
      if (at === 'GET /api/segments') return page('segments', [{ id: 'other', segmentName: 'Other' }])
      return at === 'GET /api/segments/mine' ? ok({ id: 'mine', segmentName: 'Autos' }) : undefined
    })
    const night = (runId: string) => other.step('segments.ensure', input, runId).go()
    expect(await night('1')).toMatchObject({ action: 'created', segmentId: 'mine' })
    expect(await night('2')).toMatchObject({ action: 'unchanged', segmentId: 'mine' })
  })

  test.each([
    ['segments.create', { ...input, cpm: -1 }],
    ['segments.ensure', { ...input, cpm: -1 }],
    ['segments.update', { id: 's', segmentName: 'x'.repeat(101), description: 'x'.repeat(501) }],
  ])('of %s with what only our service limits is sent (decisions 44, 46, 145)', async (uses, request) => {
    await using other = await against(({ at }) => (at === 'GET /api/segments' ? page('segments', []) : { status: 400 }))
    await expect(other.step(uses, request).go()).rejects.toMatchObject({ code: 'rejected' })
    expect(other.sent(/POST|PUT/)).toHaveLength(1)
  })
})

test.each([405, 429, 403])(
  'a delete that is refused with %i after one without an answer is looked for',
  async (status) => {
    let deletes = 0
    await using service = await against(({ at }) => {
      if (at === 'DELETE /api/segments/s') return ++deletes === 1 ? 'reset' : { status }
      return at === 'GET /api/segments/s' && deletes === 1 ? { status: 500 } : undefined
    })
    const run = service.step('segments.delete', { id: 's' })
    const error = await run.go().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ request: { outcome: 'unknown' } })
    run.retry(error as AudienceError)
    expect(await run.go()).toEqual({})
    expect(deletes).toBe(2)
  },
)

test('a write that is answered with 500 for ever tells each time what it looks for, and for how long', async () => {
  const segment = { uploadSignal: 'EMAIL', resultContent: 'BGID', providerId: 1001, segmentFileName: 'f.csv' }
  await using service = await against(({ at }) =>
    at === 'GET /api/segments' ? page('segments', []) : at === 'POST /api/segments' ? { status: 500 } : undefined,
  )
  const run = service.step('segments.create', { ...segment, participantSegmentId: 'ps', segmentName: 'N' })
  await expect(run.go()).rejects.toMatchObject({ code: 'outcome-unknown' })
  const look = {
    kind: 'look',
    operation: 'segments.create',
    lookedFor: 'a segment with participantSegmentId "ps"',
    why: 'POST /api/segments failed: 500 Internal Server Error; whether it took effect is not known',
  }
  expect(run.progress).toEqual([15_000, 30_000, 60_000, 120_000].map((upToMs) => ({ ...look, upToMs })))
})

describe('what a job made is another thing', () => {
  const bucket = { uploadSignal: 'EMAIL', resultContent: 'BGID', providerId: 1001 }
  const segment = { ...bucket, segmentFileName: 'f.csv', participantSegmentId: 'ps', segmentName: 'N' }
  const made: Script = ({ at }) => {
    if (at.startsWith('POST ')) return ok({ id: '9', status: 'PENDING' })
    switch (at) {
      case 'GET /api/jobs/9':
        return ok({ id: '9', status: 'SUCCESS', segmentId: '5', matchId: '5', activationId: '5' })
      case 'GET /api/segments':
        return page('segments', [])
      case 'GET /api/segments/match':
        return page('matches', [])
      case 'GET /api/activations/activations':
        return page('activations', [])
      case 'GET /api/segments/5':
        return ok({ id: '5', segmentName: 'N', participantSegmentId: 'other' })
      case 'GET /api/segments/match/5':
        return ok({ matchId: 5, segmentId: 'other', status: 'FINISHED' })
      case 'GET /api/activations/5':
        return ok({ ActivationId: '5', ActivationName: 'Other', Status: 'Activated' })
    }
    return undefined
  }

  test.each([
    ['segments.create', segment, 'segment 5', 'participantSegmentId is "other", but "ps"'],
    ['matches.create', matchInput('s1'), 'match 5', 'segmentId is "other", but "s1"'],
    ['activations.create', activationInput('s1', '1'), 'activation 5', 'ActivationName is "Other", but "Autos Q4"'],
  ] as const)('%s reads it for half a minute, and then says so', async (uses, input, what, other) => {
    await using service = await against(made)
    await expect(service.step(uses, input).go()).rejects.toMatchObject({
      code: 'made-other',
      message: `${what} was read, but the service showed a different one: its ${other} was asked for`,
    })
    const [reads, writes] = [service.sent(/^GET .*\/5$/).length, service.sent(/^POST/).length]
    expect([reads > 3, writes]).toEqual([true, 1])
  })

  test('matches.create takes no match of other scopes that its job names', async () => {
    const other = {
      matchId: 5,
      segmentId: 's1',
      matchApprover: null,
      deliveryScope: ['VOD_ACTIVE'],
      status: 'FINISHED',
    }
    await using service = await against((request) =>
      request.at === 'GET /api/segments/match/5' ? ok(other) : made(request),
    )
    await expect(service.step('matches.create', matchInput('s1')).go()).rejects.toMatchObject({
      code: 'made-other',
      message: expect.stringContaining('scopes VOD_ACTIVE), but one with group 9001 in CABLE was asked for'),
    })
    expect(service.sent(/^POST/)).toHaveLength(1)
  })
})
