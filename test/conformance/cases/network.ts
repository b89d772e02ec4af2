import type { JsonObject } from '../../../src/core/json.ts'
import { type ConformanceCase, NotApplicable } from '../conformance-case.ts'
import { INTEGRATION_QUERIES, integrationQueries } from '../integration-queries.ts'

const FEATURES = ['SEGMENT_UPLOAD', 'SEGMENT_SHARE', 'SEGMENT_MATCH']
const SIGNALS = ['IP', 'IDFA', 'AAID', 'STBID', 'EMAIL', 'ADDRESS', 'PARTNER_RECORD_ID', 'BGID', 'RECORD_ID']
const LIST = '/api/integrations/integration'

export const network: readonly ConformanceCase[] = [
  {
    decision: 115,
    name: 'groups and partners are listed at /api/groups and /api/partners',
    async run(session, expect) {
      expect.items(await session.send('GET /api/groups'), 'group')
      expect.items(await session.send('GET /api/partners'), 'partners')
    },
  },
  {
    decision: 116,
    name: 'the lists of groups and partners have the keys group and partners and no page fields',
    async run(session, expect) {
      for (const [path, key] of [
        ['/api/groups', 'group'],
        ['/api/partners', 'partners'],
      ] as const) {
        const list = await session.send(`GET ${path}`)
        expect.status(list, 200)
        expect.equal(`the keys of ${path}`, Object.keys(list.body), [key])
      }
    },
  },
  {
    decision: 117,
    name: 'an id that is no integer is a bad request, one that is not visible is not found',
    async run(session, expect) {
      for (const resource of ['groups', 'partners']) {
        for (const id of ['abc', '1.5', '1e3', '9223372036854775808']) {
          expect.status(await session.send(`GET /api/${resource}/${id}`), 400)
        }
        expect.status(await session.send(`GET /api/${resource}/2000000011`), 404)
      }
    },
  },
  {
    decision: 117,
    name: 'what is listed can be retrieved, and is the same',
    async run(session, expect) {
      for (const group of await session.groups()) {
        const got = await session.send(`GET /api/groups/${group.groupId}`)
        expect.status(got, 200)
        expect.equal(`group ${group.groupId}`, got.body, group)
      }
      for (const partner of await session.partners()) {
        const got = await session.send(`GET /api/partners/${partner.id}`)
        expect.status(got, 200)
        expect.equal(`partner ${partner.id}`, got.body, partner)
      }
    },
  },
  {
    decision: 118,
    name: 'groups and partners have their documented fields',
    async run(session, expect) {
      const groups = await session.groups()
      const partners = await session.partners()
      if (groups.length + partners.length === 0) throw new NotApplicable('the caller sees no groups and partners')
      for (const group of groups) {
        expect.text('groupName', group.groupName)
        expect.text('description', group.description)
        for (const field of ['features', 'groupMembers', 'groupAccess', 'deliveryScopes']) {
          expect.that(`${field} of a group to be a list`, Array.isArray(group[field]), group)
        }
        const { parameters } = group
        const hasRoles = typeof parameters === 'object' && parameters !== null && 'roles' in parameters
        expect.that('parameters of a group to have roles', hasRoles, group)
      }
      for (const partner of partners) {
        expect.text('name', partner.name)
        expect.that('id of a partner to be an integer', Number.isInteger(partner.id), partner)
        for (const field of ['features', 'deliveryScopes']) {
          expect.that(`${field} of a partner to be a list`, Array.isArray(partner[field]), partner)
        }
        const details = partner.customDeliveryScopesDetail ?? []
        expect.that('customDeliveryScopesDetail to be a list or absent', Array.isArray(details), partner)
      }
    },
  },
  {
    decision: 119,
    name: 'groupFeature lists exactly the groups that have the feature',
    async run(session, expect) {
      const all = await session.groups()
      for (const feature of ['AGGREGATED_MATCH', 'EXPOSURE_DATA_SHARE_APPROVAL']) {
        const list = await session.send(`GET /api/groups?groupFeature=${feature}`)
        const having = all.filter(({ features }) => Array.isArray(features) && features.includes(feature))
        expect.equal(`the groups with ${feature}`, expect.items(list, 'group'), having)
      }
    },
  },
  {
    decision: 120,
    name: 'featureType and signal hold in the same feature of a partner',
    async run(session, expect) {
      const all = await session.partners()
      if (all.length === 0) throw new NotApplicable('the caller has no partners')
      for (const type of [undefined, ...FEATURES]) {
        for (const signal of [undefined, ...SIGNALS]) {
          const query = new URLSearchParams({ ...(type && { featureType: type }), ...(signal && { signal }) })
          const list = await session.send(`GET /api/partners?${query}`)
          const ids = expect.items(list, 'partners').map(({ id }) => id)
          const able = all.filter((partner) => offers(partner, type, signal)).map(({ id }) => id)
          expect.equal(`the partners for ${query}`, ids, able)
        }
      }
    },
  },
  {
    decision: 121,
    name: 'the list of integrations needs status and purpose',
    async run(session, expect) {
      for (const query of ['', '?status=ENABLED', '?purpose=ACTIVATION', '?status=ON&purpose=ACTIVATION']) {
        expect.status(await session.send(`GET ${LIST}${query}`), 400)
      }
      expect.status(await session.send(`GET ${LIST}?status=ENABLED&purpose=SELL`), 400)
    },
  },
  {
    decision: 121,
    name: 'a status and purpose list their integrations, or are 404 where there are none',
    async run(session, expect) {
      for (const { query, status, purpose } of INTEGRATION_QUERIES) {
        const list = await session.send(`GET ${LIST}?${query}`)
        expect.status(list, 200, 404)
        if (list.status === 404) continue
        const found = expect.items(list, 'integrations')
        expect.that(`at least one integration for ${query}, or 404`, found.length > 0, list.text)
        const isRight = found.every((each) => each.status === status && each.purpose === purpose)
        expect.that(`only integrations for ${query}`, isRight, found)
      }
    },
  },
  {
    decision: 121,
    name: 'a page beyond the integrations is empty, not 404',
    async run(session, expect) {
      const { having } = await integrationQueries(session)
      if (having === undefined) throw new NotApplicable('the caller has no integrations')
      const beyond = await session.send(`GET ${LIST}?${having}&page=1000&pageSize=100`)
      expect.equal('the integrations beyond the data', expect.items(beyond, 'integrations'), [])
      expect.equal('hasMore', beyond.body.hasMore, false)
    },
  },
  {
    decision: 121,
    name: 'an invalid request for integrations is 400 even where none matches',
    async run(session, expect) {
      const { lacking } = await integrationQueries(session)
      if (lacking === undefined) throw new NotApplicable('there are integrations for every status and purpose')
      for (const page of ['page=-1', 'pageSize=9', 'page=x']) {
        expect.status(await session.send(`GET ${LIST}?${lacking}&${page}`), 400)
      }
    },
  },
  {
    decision: 122,
    name: 'integrations have their documented fields; minimumSegmentSize is a string',
    async run(session, expect) {
      const { having } = await integrationQueries(session)
      if (having === undefined) throw new NotApplicable('the caller has no integrations')
      for (const integration of expect.items(await session.send(`GET ${LIST}?${having}`), 'integrations')) {
        for (const field of ['integrationName', 'purpose', 'activationApi', 'destinationType', 'minimumSegmentSize']) {
          expect.text(field, integration[field])
        }
        expect.that('id to be an integer', Number.isInteger(integration.id), integration.id)
        expect.that('deliveryScopes to be a list', Array.isArray(integration.deliveryScopes), integration)
        for (const field of ['includeNone', 'pendingUpdates', 'includeTriggerFile']) {
          expect.equal(`type of ${field}`, typeof integration[field], 'boolean')
        }
      }
    },
  },
]

function offers({ features }: JsonObject, type: string | undefined, signal: string | undefined): boolean {
  if (type === undefined && signal === undefined) return true
  return (
    Array.isArray(features) &&
    features.some((feature) => {
      const isType = type === undefined || feature.type === type
      return isType && (signal === undefined || feature.signals.includes(signal))
    })
  )
}
