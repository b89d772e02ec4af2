import type { ConformanceCase } from '../conformance-case.ts'

const CREATE = 'POST /api/segments'
/** One character, two UTF-16 units. */
const PAIR = '😀'

export const segmentCreate: readonly ConformanceCase[] = [
  {
    decision: 32,
    name: 'the id that creating a segment returns is that of a job',
    async run(session, expect) {
      const started = await session.send(CREATE, { json: await session.segmentBody() })
      const id = expect.text('id', started.body.id)
      const job = await session.send(`GET /api/jobs/${id}`)
      expect.status(job, 200)
      expect.equal('the id of the job', job.body.id, id)
      const { segmentId } = await session.succeed(started)
      expect.that('the segment to have another id than its job', segmentId !== id, segmentId)
    },
  },
  {
    decision: 33,
    name: 'creating a segment answers 200 with a job',
    async run(session, expect) {
      const started = await session.send(CREATE, { json: await session.segmentBody() })
      expect.status(started, 200)
      expect.text('id', started.body.id)
      expect.text('status', started.body.status)
    },
  },
  {
    decision: 34,
    name: 'segmentId is left out until the job has succeeded, and there then',
    async run(session, expect) {
      const started = await session.send(CREATE, { json: await session.segmentBody() })
      const { answer: job } = await session.ended(started, async ({ body }) => {
        if (body.status === 'SUCCESS') return
        expect.that(`a job that is ${body.status} to have no segmentId`, !('segmentId' in body), body)
      })
      expect.equal('the end of the job', job.body.status, 'SUCCESS')
      const segmentId = expect.text('segmentId of a job with SUCCESS', job.body.segmentId)
      expect.status(await session.send(`GET /api/segments/${segmentId}`), 200)
    },
  },
  {
    decision: 36,
    name: 'texts of exactly the maximum length are taken, in UTF-16 units',
    async run(session, expect) {
      const name = session.unique('f').padEnd(96, 'x')
      const longest = {
        segmentFileName: await session.upload(session.emails(), { name: `${name}.csv` }),
        participantSegmentId: session.unique('p').padEnd(100, 'x'),
        segmentName: PAIR.repeat(50),
        dataOwner: 'x'.repeat(200),
        category: PAIR.repeat(100),
        subCategory: 'é'.repeat(200),
        description: 'x'.repeat(500),
      }
      const { segmentId } = await session.segment(longest)
      const segment = await session.send(`GET /api/segments/${segmentId}`)
      expect.equal('segmentName', segment.body.segmentName, longest.segmentName)
    },
  },
  {
    decision: 36,
    name: 'texts of one unit more than the maximum length are a bad request',
    async run(session, expect) {
      const body = await session.segmentBody()
      for (const [field, length] of [
        ['segmentFileName', 100],
        ['participantSegmentId', 100],
        ['segmentName', 100],
        ['dataOwner', 200],
        ['category', 200],
        ['subCategory', 200],
        ['description', 500],
      ] as const) {
        for (const text of ['x'.repeat(length + 1), PAIR.repeat(length / 2 + 1)]) {
          const answer = await session.send(CREATE, { json: { ...body, [field]: text } })
          expect.equal(`the status for ${text.length} units of ${field}`, answer.status, 400)
        }
      }
    },
  },
  {
    decision: 37,
    name: 'blank required texts are a bad request',
    async run(session, expect) {
      const body = await session.segmentBody()
      for (const field of ['segmentFileName', 'participantSegmentId', 'segmentName']) {
        for (const blank of ['', ' ', '\t \n']) {
          const answer = await session.send(CREATE, { json: { ...body, [field]: blank } })
          expect.equal(`the status for ${field} ${JSON.stringify(blank)}`, answer.status, 400)
        }
      }
    },
  },
  {
    decision: 37,
    name: 'texts are not trimmed',
    async run(session, expect) {
      const segmentName = '  spaced out  '
      const { segmentId } = await session.segment({ segmentName })
      const segment = await session.send(`GET /api/segments/${segmentId}`)
      expect.equal('segmentName', segment.body.segmentName, segmentName)
    },
  },
  {
    decision: 38,
    name: 'IP with BGID needs uploadDateWithSignals, and false is a value',
    async run(session, expect) {
      const segmentFileName = await session.upload('192.0.2.1\n192.0.2.2\n', { signal: 'IP' })
      const body = await session.segmentBody({ uploadSignal: 'IP', segmentFileName })
      expect.status(await session.send(CREATE, { json: body }), 400)
      expect.status(await session.send(CREATE, { json: { ...body, uploadDateWithSignals: null } }), 400)
      await session.succeed(await session.send(CREATE, { json: { ...body, uploadDateWithSignals: false } }))
    },
  },
  {
    decision: 38,
    name: 'IP with HASHED, and other signals, need no uploadDateWithSignals',
    async run(session, expect) {
      const segmentFileName = await session.upload('192.0.2.1\n', { signal: 'IP', content: 'HASHED' })
      const hashed = await session.segmentBody({ uploadSignal: 'IP', resultContent: 'HASHED', segmentFileName })
      expect.status(await session.send(CREATE, { json: hashed }), 200)
      expect.status(await session.send(CREATE, { json: await session.segmentBody() }), 200)
    },
  },
  {
    decision: 39,
    name: 'providerId is required unless the upload is of BGIDs or the result is HASHED',
    async run(session, expect) {
      const { providerId: _, ...email } = await session.segmentBody()
      expect.status(await session.send(CREATE, { json: email }), 400)
      const bgids = await session.segmentBody({ uploadSignal: 'BGID' })
      const hashed = await session.segmentBody({ resultContent: 'HASHED' })
      for (const { providerId: _, ...json } of [bgids, hashed]) {
        expect.status(await session.send(CREATE, { json }), 200)
      }
    },
  },
  {
    decision: 40,
    name: 'a provider that is no partner is a bad request',
    async run(session, expect) {
      const json = await session.segmentBody({ providerId: 2_000_000_011 })
      expect.status(await session.send(CREATE, { json }), 400)
    },
  },
  {
    decision: 40,
    name: 'a partner is a provider exactly for the signals of its SEGMENT_UPLOAD',
    async run(session, expect) {
      const files: Record<string, string> = {}
      for (const signal of ['EMAIL', 'AAID']) files[signal] = await session.upload('a@b.example\n', { signal })
      for (const { id, features } of (await session.partners()).slice(0, 20)) {
        for (const signal of ['EMAIL', 'AAID']) {
          const offers =
            Array.isArray(features) &&
            features.some(({ type, signals }) => type === 'SEGMENT_UPLOAD' && signals.includes(signal))
          const json = await session.segmentBody({
            providerId: id,
            uploadSignal: signal,
            segmentFileName: files[signal],
          })
          const answer = await session.send(CREATE, { json })
          expect.equal(`the status for provider ${id} and ${signal}`, answer.status, offers ? 200 : 400)
        }
      }
    },
  },
  {
    decision: 41,
    name: 'HASHED does not go with BGID, RECORD_ID, PARTNER_RECORD_ID and ZIPCODE',
    async run(session, expect) {
      for (const uploadSignal of ['BGID', 'RECORD_ID', 'PARTNER_RECORD_ID', 'ZIPCODE']) {
        const signal = uploadSignal === 'ZIPCODE' ? 'ADDRESS' : uploadSignal
        const segmentFileName = await session.upload('1\n', { signal, content: 'HASHED' })
        const json = await session.segmentBody({ uploadSignal, resultContent: 'HASHED', segmentFileName })
        expect.status(await session.send(CREATE, { json }), 400)
      }
    },
  },
  {
    decision: 42,
    name: 'a file that is missing, or there under another signal or content, is a bad request',
    async run(session, expect) {
      const body = await session.segmentBody()
      const elsewhere = await session.upload('a@b.example\n', { signal: 'ADDRESS' })
      const hashed = await session.upload('a@b.example\n', { content: 'HASHED' })
      for (const segmentFileName of ['no-such-file.csv', elsewhere, hashed]) {
        expect.status(await session.send(CREATE, { json: { ...body, segmentFileName } }), 400)
      }
      expect.status(await session.send(CREATE, { json: body }), 200)
    },
  },
  {
    decision: 43,
    name: 'a participantSegmentId is taken as soon as a job for it is in flight',
    async run(session, expect) {
      const json = await session.segmentBody()
      const [one, two] = await Promise.all([session.send(CREATE, { json }), session.send(CREATE, { json })])
      expect.equal('the statuses of two creations at a time', [one.status, two.status].sort(), [200, 400])
      await session.succeed(one.status === 200 ? one : two)
      expect.status(await session.send(CREATE, { json: { ...json, segmentName: 'another name' } }), 400)
    },
  },
  {
    decision: 43,
    name: 'a participantSegmentId is free again after delete',
    async run(session, expect) {
      const { segmentId, request } = await session.segment()
      expect.status(await session.send(CREATE, { json: request }), 400)
      expect.status(await session.send(`DELETE /api/segments/${segmentId}`), 200)
      expect.status(await session.send(CREATE, { json: request }), 200)
    },
  },
  {
    decision: 43,
    name: 'a participantSegmentId is free again after a failed job',
    async run(session, expect) {
      const empty = await session.upload('')
      const json = await session.segmentBody({ segmentFileName: empty })
      const { answer } = await session.ended(await session.send(CREATE, { json }))
      expect.equal('the end of a job over an empty file', answer.body.status, 'FAILED')
      const segmentFileName = await session.upload(session.emails())
      await session.succeed(await session.send(CREATE, { json: { ...json, segmentFileName } }))
    },
  },
  {
    decision: 44,
    name: 'cpm is finite and not negative',
    async run(session, expect) {
      const body = await session.segmentBody()
      const headers = { 'content-type': 'application/json' }
      for (const [cpm, status] of [
        ['-0.01', 400],
        ['-1', 400],
        ['1e999', 400],
        ['0', 200],
      ] as const) {
        const raw = JSON.stringify({ ...body, cpm: 4321 }).replace('4321', cpm)
        const answer = await session.send(CREATE, { raw, headers })
        expect.equal(`the status for cpm ${cpm}`, answer.status, status)
      }
    },
  },
  {
    decision: 44,
    name: 'spi is false where it is not given',
    async run(session, expect) {
      const { segmentId } = await session.sharedSegment()
      const segment = await session.send(`GET /api/segments/${segmentId}`)
      expect.equal('spi', segment.body.spi, false)
    },
  },
]
