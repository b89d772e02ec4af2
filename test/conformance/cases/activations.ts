import { type ConformanceCase, NotApplicable } from '../conformance-case.ts'
import { isTerminal } from '../job-status.ts'
import { waitingMatch } from '../waiting-match.ts'

const CREATE = 'POST /api/activations'
const LIST = 'GET /api/activations/activations'
const UNKNOWN_ID = '9223372036854775807'

export const activations: readonly ConformanceCase[] = [
  {
    decision: 29,
    name: 'refreshRate is required and 0, 30, 60 or 90',
    async run(session, expect) {
      const body = await session.activationBody()
      for (const refreshRate of [undefined, null, 15, 1, -30, 91, 30.5, '30', true]) {
        expect.status(await session.send(CREATE, { json: { ...body, refreshRate } }), 400)
      }
      for (const refreshRate of [0, 30, 60, 90]) {
        expect.status(await session.send(CREATE, { json: { ...body, refreshRate } }), 200)
      }
    },
  },
  {
    decision: 30,
    name: 'actionType is required and REQUEST',
    async run(session, expect) {
      const body = await session.activationBody()
      for (const actionType of [undefined, null, 'DELIVER', 'request', '']) {
        expect.status(await session.send(CREATE, { json: { ...body, actionType } }), 400)
      }
    },
  },
  {
    decision: 31,
    name: 'an activation whose job succeeded is Activated',
    async run(session, expect) {
      const { activationId } = await session.sharedActivation()
      const activation = await session.send(`GET /api/activations/${activationId}`)
      expect.equal('Status', activation.body.Status, 'Activated')
    },
  },
  {
    decision: 94,
    name: 'ActivationId, ActivationName and Status are capitalised, the rest is camelCase',
    async run(session, expect) {
      const { activationId } = await session.sharedActivation()
      const one = await session.send(`GET /api/activations/${activationId}`)
      expect.status(one, 200)
      const listed = await session.all(LIST, 'activations')
      const inList = listed.find(({ ActivationId }) => ActivationId === activationId)
      const names = ['myRole', 'ActivationId', 'ActivationName', 'Status', 'spi', 'deliveryScopes', 'campaign']
      for (const activation of [one.body, inList ?? {}]) {
        for (const name of [...names, 'agency', 'brand']) {
          expect.that(`an activation to have ${name}`, name in activation, activation)
        }
        for (const name of ['activationId', 'activationName', 'status', 'MyRole']) {
          expect.that(`an activation to have no ${name}`, !(name in activation), activation)
        }
      }
    },
  },
  {
    decision: 95,
    name: 'campaignName comes back as campaign, activationName as ActivationName',
    async run(session, expect) {
      const { activationId, request } = await session.sharedActivation()
      const { body } = await session.send(`GET /api/activations/${activationId}`)
      expect.equal('campaign', body.campaign, request.campaignName)
      expect.equal('ActivationName', body.ActivationName, request.activationName)
      expect.equal('agency', body.agency, request.agency)
      expect.equal('brand', body.brand, request.brand)
    },
  },
  {
    decision: 96,
    name: 'the list is at /api/activations/activations; GET /api/activations is 405',
    async run(session, expect) {
      const { activationId } = await session.sharedActivation()
      const listed = await session.all(LIST, 'activations')
      const ids = listed.map(({ ActivationId }) => ActivationId)
      expect.that('the list to have the activation', ids.includes(activationId), ids)
      const wrong = await session.send('GET /api/activations')
      expect.status(wrong, 405)
      expect.equal('Allow', wrong.headers.allow, 'POST')
    },
  },
  {
    decision: 97,
    name: 'activation ids are strings of digits in job and activation, and go into the path',
    async run(session, expect) {
      const { activationId, jobId } = await session.sharedActivation()
      expect.that('activationId of the job to be digits', /^\d+$/.test(activationId), activationId)
      const job = await session.send(`GET /api/jobs/${jobId}`)
      expect.equal('activationId of the job', job.body.activationId, activationId)
      const activation = await session.send(`GET /api/activations/${activationId}`)
      expect.equal('ActivationId', activation.body.ActivationId, activationId)
    },
  },
  {
    decision: 98,
    name: 'an unknown activation is not found on retrieve and delete',
    async run(session, expect) {
      for (const id of [UNKNOWN_ID, '9007199254740993']) {
        expect.status(await session.send(`GET /api/activations/${id}`), 404)
        expect.status(await session.send(`DELETE /api/activations/${id}`), 404)
      }
    },
  },
  {
    decision: 98,
    name: 'a deleted activation is not found',
    async run(session, expect) {
      const { activationId } = await session.activation()
      const target = `/api/activations/${activationId}`
      expect.status(await session.send(`DELETE ${target}`, { headers: { accept: '*/*' } }), 200)
      expect.status(await session.send(`GET ${target}`), 404)
      expect.status(await session.send(`DELETE ${target}`), 404)
      const ids = (await session.all(LIST, 'activations')).map(({ ActivationId }) => ActivationId)
      expect.that('the list not to have it', !ids.includes(activationId), activationId)
    },
  },
  {
    decision: 99,
    name: 'an activation of a match that is not there is 404',
    async run(session, expect) {
      for (const matchJobId of [UNKNOWN_ID, 'no-such-job']) {
        const json = await session.activationBody({ matchJobId })
        expect.status(await session.send(CREATE, { json }), 404)
      }
    },
  },
  {
    decision: 99,
    name: 'a segment and a match job that do not belong together are a bad request',
    async run(session, expect) {
      const { segmentId } = await session.segment()
      expect.status(await session.send(CREATE, { json: await session.activationBody({ segmentId }) }), 400)
      const known = await session.activationBody()
      expect.status(await session.send(CREATE, { json: known }), 200)
    },
  },
  {
    decision: 99,
    name: 'an activation of an unfinished match is a bad request',
    needs: ['control'],
    async run(session, expect) {
      const { matchJobId, segmentId } = await waitingMatch(session)
      const json = await session.activationBody({ matchJobId, segmentId })
      expect.status(await session.send(CREATE, { json }), 400)
    },
  },
  {
    decision: 100,
    name: 'the id of create is a job; activationId comes from the job',
    async run(session, expect) {
      const started = await session.send(CREATE, { json: await session.activationBody() })
      expect.status(started, 200)
      const job = await session.succeed(started)
      expect.equal('id of the job', job.id, started.body.id)
      const activationId = expect.text('activationId of the job', job.activationId)
      expect.status(await session.send(`GET /api/activations/${activationId}`), 200)
    },
  },
  {
    decision: 101,
    name: 'campaign dates are RFC 3339 with an offset, the end not before the start',
    async run(session, expect) {
      const body = await session.activationBody()
      for (const date of ['2026-01-01', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', 'tomorrow', '', 1767225600]) {
        for (const field of ['campaignStartDate', 'campaignEndDate']) {
          expect.status(await session.send(CREATE, { json: { ...body, [field]: date } }), 400)
        }
      }
      const span = (campaignStartDate: string, campaignEndDate: string) => ({ campaignStartDate, campaignEndDate })
      for (const [dates, status] of [
        [span('2026-03-01T00:00:00Z', '2026-02-28T23:59:59Z'), 400],
        [span('2026-03-01T00:30:00+01:00', '2026-02-28T23:00:00Z'), 400],
        [span('2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'), 200],
        [span('2026-03-01T01:00:00+02:00', '2026-02-28T23:30:00.5Z'), 200],
      ] as const) {
        expect.status(await session.send(CREATE, { json: { ...body, ...dates } }), status)
      }
    },
  },
  {
    decision: 102,
    name: 'campaign, agency and brand may be missing, and a name may be used twice',
    async run(session, expect) {
      const first = await session.activation({ campaignName: null })
      const second = await session.activation({ activationName: first.request.activationName })
      expect.that('two activations of one name', first.activationId !== second.activationId, second.activationId)
      const { body } = await session.send(`GET /api/activations/${first.activationId}`)
      for (const field of ['campaign', 'agency', 'brand']) expect.equal(field, body[field], null)
    },
  },
  {
    decision: 36,
    name: 'the texts of an activation have at most 200 units',
    async run(session, expect) {
      const body = await session.activationBody()
      for (const field of ['activationName', 'campaignName', 'agency', 'brand']) {
        expect.status(await session.send(CREATE, { json: { ...body, [field]: 'x'.repeat(201) } }), 400)
      }
      const longest = 'x'.repeat(200)
      const json = { ...body, activationName: longest, campaignName: longest, agency: longest, brand: longest }
      expect.status(await session.send(CREATE, { json }), 200)
    },
  },
  {
    decision: 37,
    name: 'the required texts of an activation are not blank',
    async run(session, expect) {
      const body = await session.activationBody()
      for (const field of ['activationName', 'segmentId', 'matchJobId']) {
        expect.status(await session.send(CREATE, { json: { ...body, [field]: undefined } }), 400)
      }
      expect.status(await session.send(CREATE, { json: { ...body, activationName: ' ' } }), 400)
    },
  },
  {
    decision: 103,
    name: 'an activation may wait for an approval, and be rejected or go on',
    needs: ['control'],
    async run(session, expect) {
      const { matchJobId, segmentId } = await waitingMatch(session)
      expect.status(await session.control(`POST /jobs/${matchJobId}/approve`), 200)
      const match = await session.ended(await session.send(`GET /api/jobs/${matchJobId}`))
      expect.equal('the end of an approved match', match.answer.body.status, 'SUCCESS')
      for (const [decision, end] of [
        ['reject', 'REJECTED'],
        ['approve', 'SUCCESS'],
      ] as const) {
        const json = await session.activationBody({ matchJobId, segmentId })
        const started = await session.send(CREATE, { json })
        const { answer } = await session.endedOrWaiting(started)
        if (isTerminal(answer.body.status)) throw new NotApplicable('its activations wait for nobody')
        expect.status(await session.control(`POST /jobs/${answer.body.id}/${decision}`), 200)
        const ended = await session.ended(started)
        expect.equal(`the end after ${decision}`, ended.answer.body.status, end)
      }
    },
  },
  {
    decision: 104,
    name: 'myRole is Requester for the one who asked',
    async run(session, expect) {
      const { activationId } = await session.sharedActivation()
      const activation = await session.send(`GET /api/activations/${activationId}`)
      expect.equal('myRole', activation.body.myRole, 'Requester')
    },
  },
  {
    decision: 104,
    name: 'myRole is Approver for the partner',
    needs: ['other'],
    async run(session, expect) {
      const match = await session.match({ partnerId: session.options.other?.participantId })
      const { segmentId } = match.segment
      const { activationId } = await session.activation({ segmentId, matchJobId: match.jobId })
      const theirs = await session.send(`GET /api/activations/${activationId}`, { as: 'other' })
      expect.status(theirs, 200)
      expect.equal('myRole', theirs.body.myRole, 'Approver')
    },
  },
]
