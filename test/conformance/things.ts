import { isJsonObject, type JsonObject } from '../../src/core/json.ts'
import { NotApplicable } from './conformance-case.ts'
import { Deviation } from './expect.ts'
import type { Answer, Sending } from './http-client.ts'
import type { Client } from './session.ts'
import { participantOf } from './suite-options.ts'

interface MadeSegment {
  readonly segmentId: string
  readonly jobId: string
  readonly request: JsonObject
}
interface MadeMatch {
  readonly matchId: string
  /** The job that created it. */
  readonly jobId: string
  readonly segment: MadeSegment
  readonly request: JsonObject
}
interface MadeActivation {
  readonly activationId: string
  readonly jobId: string
  readonly match: MadeMatch
  readonly request: JsonObject
}
interface FilePlace {
  readonly name?: string
  readonly signal?: string
  readonly content?: string
  readonly as?: NonNullable<Sending['as']>
}

/**
 * What cases need at the beginning: discovered through the API, or created. The `shared…` things are created once and
 * must not be changed.
 */
export interface Things {
  partners(): Promise<readonly JsonObject[]>
  groups(): Promise<readonly JsonObject[]>
  /** A partner that can be matched with. */
  partner(): Promise<JsonObject>
  /** A partner that approves matches by hand. The suite tries it, because no field of a partner says so. */
  manualPartnerId(): Promise<number>
  /** A group with AGGREGATED_MATCH. */
  group(): Promise<JsonObject>
  callerId(): Promise<number>
  providerId(): Promise<number>
  /** CSV lines of e-mail addresses: known ones if there is a sample. */
  emails(range?: { from: number; to: number }): string
  upload(csv: string, place?: FilePlace): Promise<string>
  /** A valid body for creating an EMAIL and BGID segment, with a new file unless one is given. */
  segmentBody(more?: JsonObject): Promise<JsonObject>
  segment(more?: JsonObject): Promise<MadeSegment>
  /** A valid body for matching a segment, new unless given, with the given partner or group. */
  matchBody(more?: JsonObject): Promise<JsonObject>
  match(more?: JsonObject): Promise<MadeMatch>
  activationBody(more?: JsonObject): Promise<JsonObject>
  activation(more?: JsonObject): Promise<MadeActivation>
  sharedSegment(): Promise<MadeSegment>
  sharedMatch(): Promise<MadeMatch>
  sharedActivation(): Promise<MadeActivation>
  /** The items of all pages. */
  all(path: string, key: string, sending?: Pick<Sending, 'as'>): Promise<readonly JsonObject[]>
}

/** E-mail addresses in a new file. A network treats small segments like large ones. */
const EMAILS_A_FILE = 300
const PAGES = 1001

export function createThings(client: Client): Things {
  const { options } = client
  const listed = async (path: string, key: string): Promise<readonly JsonObject[]> =>
    itemsOf(await client.send(path), key)

  const things: Things = {
    partners: once(() => listed('GET /api/partners', 'partners')),
    groups: once(() => listed('GET /api/groups', 'group')),
    partner: once(async () => {
      const able = itemsOf(await client.send('GET /api/partners?featureType=SEGMENT_MATCH&signal=EMAIL'), 'partners')
      const { partnerId } = options
      const found = able.find(({ id }) => partnerId === undefined || id === partnerId)
      return found ?? notApplicable('no partner has SEGMENT_MATCH for EMAIL')
    }),
    group: once(async () => {
      const able = itemsOf(await client.send('GET /api/groups?groupFeature=AGGREGATED_MATCH'), 'group')
      return able[0] ?? notApplicable('no group has AGGREGATED_MATCH')
    }),
    manualPartnerId: once(async () => {
      const able = itemsOf(await client.send('GET /api/partners?featureType=SEGMENT_MATCH&signal=EMAIL'), 'partners')
      const waits = await Promise.all(
        able.map(async ({ id: partnerId }) => {
          const json = await things.matchBody({ partnerId, deliveryScopes: ['CABLE'] })
          const { answer } = await client.endedOrWaiting(await client.send('POST /api/segments/match', { json }))
          return answer.body.status === 'PENDING_APPROVAL'
        }),
      )
      const found = able.find((_, index) => waits[index])
      return found ? Number(found.id) : notApplicable('no partner decides by hand about matches')
    }),
    callerId: once(async () => {
      const known = options.participantId ?? participantOf(options.baseUrl)
      if (known !== undefined) return known
      const { matchId } = await things.sharedMatch()
      return Number((await client.send(`GET /api/segments/match/${matchId}`)).body.matchRequestor)
    }),
    providerId: once(async () => {
      const known = options.participantId ?? participantOf(options.baseUrl)
      if (known !== undefined) return known
      const able = itemsOf(await client.send('GET /api/partners?featureType=SEGMENT_UPLOAD&signal=EMAIL'), 'partners')
      return able[0] ? Number(able[0].id) : notApplicable('no partner has SEGMENT_UPLOAD for EMAIL; give --participant')
    }),
    emails({ from, to } = { from: 0, to: EMAILS_A_FILE }) {
      const emails = Array.from(
        { length: to - from },
        (_, index) => options.sample?.[from + index] ?? `nobody-${from + index}@conformance.invalid`,
      )
      return `${emails.join('\n')}\n`
    },
    async upload(csv, { name = `${client.unique('conformance')}.csv`, signal = 'EMAIL', content = 'BGID', as } = {}) {
      const answer = await client.send(`POST /api/files?uploadSignal=${signal}&resultContent=${content}`, {
        parts: [{ name: 'file', fileName: name, content: csv }],
        ...(as && { as }),
      })
      if (answer.status !== 200 || typeof answer.body.name !== 'string') throw unmade(answer)
      return answer.body.name
    },
    async segmentBody(more = {}) {
      const name = client.unique('conformance')
      return {
        participantSegmentId: name,
        segmentName: name,
        uploadSignal: 'EMAIL',
        resultContent: 'BGID',
        ...(more.providerId === undefined && { providerId: await things.providerId() }),
        ...(more.segmentFileName === undefined && {
          segmentFileName: await things.upload(things.emails(), {
            signal: String(more.uploadSignal ?? 'EMAIL'),
            content: String(more.resultContent ?? 'BGID'),
          }),
        }),
        ...more,
      }
    },
    async segment(more) {
      const request = await things.segmentBody(more)
      const started = await client.send('POST /api/segments', { json: request })
      const { segmentId } = await client.succeed(started)
      if (typeof segmentId !== 'string') throw unmade(started)
      return { segmentId, jobId: String(started.body.id), request }
    },
    async matchBody(more = {}) {
      const isGroup = more.groupId !== undefined
      const partner = more.partnerId === undefined && !isGroup ? await things.partner() : undefined
      const reached = async () => {
        if (partner) return partner
        if (isGroup) return (await things.groups()).find(({ groupId }) => groupId === more.groupId)
        return (await things.partners()).find(({ id }) => id === more.partnerId)
      }
      return {
        ...(more.segmentId === undefined && { segmentId: (await things.segment()).segmentId }),
        ...(partner && { partnerId: partner.id }),
        ...(more.deliveryScopes === undefined && { deliveryScopes: scopesOf((await reached()) ?? {}) }),
        ...more,
      }
    },
    async match(more = {}) {
      const segment = typeof more.segmentId === 'string' ? undefined : await things.segment()
      const request = await things.matchBody(segment ? { segmentId: segment.segmentId, ...more } : more)
      const started = await client.send('POST /api/segments/match', { json: request })
      const { matchId } = await client.succeed(started)
      if (typeof matchId !== 'string') throw unmade(started)
      const owner = segment ?? { segmentId: String(request.segmentId), jobId: '', request: {} }
      return { matchId, jobId: String(started.body.id), segment: owner, request }
    },
    async activationBody(more = {}) {
      const { matchId, segment } = await things.sharedMatch()
      const match = await client.send(`GET /api/segments/match/${matchId}`)
      return {
        activationName: client.unique('conformance'),
        segmentId: segment.segmentId,
        matchJobId: match.body.matchJobId,
        refreshRate: 0,
        actionType: 'REQUEST',
        ...more,
      }
    },
    async activation(more) {
      const match = await things.sharedMatch()
      const request = await things.activationBody(more)
      const started = await client.send('POST /api/activations', { json: request })
      const { activationId } = await client.succeed(started)
      if (typeof activationId !== 'string') throw unmade(started)
      return { activationId, jobId: String(started.body.id), match, request }
    },
    sharedSegment: once(() => things.segment()),
    sharedMatch: once(() => things.match()),
    sharedActivation: once(() => things.activation({ campaignName: 'Spring', agency: 'Agency', brand: 'Brand' })),
    async all(path, key, sending) {
      const items: JsonObject[] = []
      for (let page = 0; page < PAGES; page++) {
        const glue = path.includes('?') ? '&' : '?'
        const answer = await client.send(`${path}${glue}page=${page}&pageSize=100`, sending)
        items.push(...itemsOf(answer, key))
        if (answer.body.hasMore !== true) break
      }
      return items
    },
  }
  return things
}

/** Returns the same promise to every caller. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

function itemsOf(answer: Answer, key: string): readonly JsonObject[] {
  const items = answer.body[key]
  if (answer.status !== 200 || !Array.isArray(items)) throw unmade(answer)
  return items.filter(isJsonObject)
}

function scopesOf({ deliveryScopes }: JsonObject): readonly string[] {
  const scopes = Array.isArray(deliveryScopes) ? deliveryScopes.filter((scope) => typeof scope === 'string') : []
  return [scopes[0] ?? 'CABLE']
}

function notApplicable(reason: string): never {
  throw new NotApplicable(reason)
}

function unmade({ request, status, text }: Answer): Deviation {
  return new Deviation(`expected ${request} to do what the case begins with, got ${status} ${text.slice(0, 300)}`)
}
