import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConformanceCase, NotApplicable } from '../conformance-case.ts'
import { MULTIPART_TYPE, multipartBody } from '../multipart.ts'
import type { Session } from '../session.ts'

const PLACE = 'uploadSignal=EMAIL&resultContent=BGID'
const UPLOAD = `POST /api/files?${PLACE}`
const MAXIMUM_BYTES = 157_286_400

export const files: readonly ConformanceCase[] = [
  {
    decision: 105,
    name: 'featureType, uploadSignal and resultContent are query parameters of an upload',
    async run(session, expect) {
      const file = { name: 'file', fileName: `${session.unique('conformance')}.csv`, content: 'a@b.example\n' }
      const fields = [
        { name: 'uploadSignal', content: 'EMAIL' },
        { name: 'resultContent', content: 'BGID' },
      ]
      for (const query of [
        '',
        '?uploadSignal=EMAIL',
        '?resultContent=BGID',
        '?uploadSignal=PHONE&resultContent=BGID',
      ]) {
        expect.status(await session.send(`POST /api/files${query}`, { parts: [...fields, file] }), 400)
      }
      const all = `POST /api/files?featureType=SEGMENT_UPLOAD&${PLACE}`
      const answer = await session.send(all, { parts: [file] })
      expect.status(answer, 200)
      expect.equal('name', answer.body.name, file.fileName)
    },
  },
  {
    decision: 105,
    name: 'list and delete need uploadSignal and resultContent',
    async run(session, expect) {
      const name = await session.upload('a@b.example\n')
      for (const query of ['', '?uploadSignal=EMAIL', '?resultContent=BGID']) {
        expect.status(await session.send(`GET /api/files${query}`), 400)
        expect.status(await session.send(`DELETE /api/files/${name}${query}`), 400)
      }
    },
  },
  {
    decision: 106,
    name: 'an upload has exactly one part "file", and it has a file name',
    async run(session, expect) {
      const good = { name: 'file', fileName: `${session.unique('conformance')}.csv`, content: 'a@b.example\n' }
      for (const parts of [
        [],
        [{ ...good, name: 'data' }],
        [{ name: 'file', content: 'a@b.example\n' }],
        [good, { ...good, fileName: `${session.unique('conformance')}.csv` }],
      ]) {
        expect.status(await session.send(UPLOAD, { parts }), 400)
      }
      const list = await session.all(`GET /api/files?${PLACE}`, 'files')
      expect.that('a refused upload not to be listed', !list.some(({ name }) => name === good.fileName), good.fileName)
    },
  },
  {
    decision: 107,
    name: 'a file of exactly 157,286,400 bytes is taken',
    needs: ['slow'],
    async run(session, expect) {
      expect.status(await session.send(UPLOAD, largeFile(session, MAXIMUM_BYTES)), 200)
    },
  },
  {
    decision: 108,
    name: 'one byte more is a bad request, and leaves nothing',
    needs: ['slow'],
    async run(session, expect) {
      const fileName = `${session.unique('conformance')}.csv`
      expect.status(await session.send(UPLOAD, largeFile(session, MAXIMUM_BYTES + 1, fileName)), 400)
      expect.equal('whether the file is listed', await isListed(session, fileName), false)
    },
  },
  {
    decision: 109,
    name: 'directories are stripped from a file name, and the answer says what is left',
    async run(session, expect) {
      const name = `${session.unique('conformance')}.csv`
      for (const fileName of [`folder/${name}`, `/a/b/${name}`, `C:\\\\temp\\\\${name}`]) {
        const answer = await session.send(UPLOAD, { parts: [{ name: 'file', fileName, content: 'a@b.example\n' }] })
        expect.status(answer, 200)
        expect.equal(`the name of ${fileName}`, answer.body.name, name)
      }
    },
  },
  {
    decision: 109,
    name: 'names that cannot be referred to are a bad request',
    async run(session, expect) {
      const long = session.unique('conformance').padEnd(97, 'x')
      for (const fileName of ['..', 'a/..', 'a\u0001b.csv', `${long}.csv`, '']) {
        const answer = await session.send(UPLOAD, { parts: [{ name: 'file', fileName, content: 'a@b.example\n' }] })
        expect.equal(`the status for the name ${JSON.stringify(fileName)}`, answer.status, 400)
      }
    },
  },
  {
    decision: 109,
    name: 'the returned name is the one that list, create and delete know',
    async run(session, expect) {
      for (const unusual of ['two words', 'Zürich', '100%25', 'a#b?c&d=e+f', '北京', "o'neill"]) {
        const fileName = `${unusual} ${session.unique('conformance')}.csv`
        const name = await session.upload(session.emails(), { name: fileName })
        expect.equal('the returned name', name, fileName)
        expect.equal(`whether ${name} is listed`, await isListed(session, name), true)
        await session.segment({ segmentFileName: name })
        expect.status(await session.send(`DELETE /api/files/${encodeURIComponent(name)}?${PLACE}`), 200)
        expect.equal(`whether ${name} is listed after delete`, await isListed(session, name), false)
      }
    },
  },
  {
    decision: 110,
    name: 'an upload under a name that is there replaces the file',
    async run(session, expect) {
      const name = await session.upload('')
      expect.equal('the returned name', await session.upload(session.emails(), { name }), name)
      const listed = (await session.all(`GET /api/files?${PLACE}`, 'files')).filter((file) => file.name === name)
      expect.equal('how often the name is listed', listed.length, 1)
      const { segmentId } = await session.segment({ segmentFileName: name })
      expect.status(await session.send(`GET /api/segments/${segmentId}`), 200)
    },
  },
  {
    decision: 111,
    name: 'a file is found and deleted only under its own signal and content',
    async run(session, expect) {
      const name = await session.upload('a@b.example\n')
      for (const place of ['uploadSignal=ADDRESS&resultContent=BGID', 'uploadSignal=EMAIL&resultContent=HASHED']) {
        expect.equal(`whether ${place} lists the file`, await isListed(session, name, place), false)
        expect.status(await session.send(`DELETE /api/files/${name}?${place}`), 404)
      }
      expect.equal('whether its own place lists the file', await isListed(session, name), true)
      expect.status(await session.send(`DELETE /api/files/${name}?featureType=SEGMENT_UPLOAD&${PLACE}`), 200)
      expect.equal('whether it is listed after delete', await isListed(session, name), false)
      expect.status(await session.send(`DELETE /api/files/${name}?${PLACE}`), 404)
    },
  },
  {
    decision: 112,
    name: 'the list of files takes page parameters and echoes them; items have a name',
    async run(session, expect) {
      await session.upload('a@b.example\n')
      const list = await session.send(`GET /api/files?${PLACE}&page=0&pageSize=10`)
      const items = expect.items(list, 'files')
      expect.that('at least one file', items.length > 0, items)
      for (const { name } of items) expect.text('name', name)
      expect.equal('page', list.body.page, 0)
      expect.equal('pageSize', list.body.pageSize, 10)
      expect.equal('type of hasMore', typeof list.body.hasMore, 'boolean')
    },
  },
  {
    decision: 113,
    name: 'BOM, CRLF, quotes, more columns, a header and a last line without end all make a segment',
    async run(session, expect) {
      for (const csv of variants(session.emails({ from: 0, to: 20 }))) {
        const job = await session.segment({ segmentFileName: await session.upload(csv) })
        expect.text(`the segment of ${JSON.stringify(csv.slice(0, 40))}`, job.segmentId)
      }
    },
  },
  {
    decision: 113,
    name: 'BOM, CRLF, quotes, more columns and a header do not change who is matched',
    needs: ['sample'],
    async run(session, expect) {
      const plain = session.emails({ from: 0, to: 200 })
      const counts = await Promise.all(
        [plain, ...variants(plain)].map(async (csv) => {
          const { segmentId } = await session.segment({ segmentFileName: await session.upload(csv) })
          const { matchId } = await session.match({ segmentId })
          return (await session.send(`GET /api/segments/match/${matchId}`)).body.matchCount
        }),
      )
      expect.that('somebody to be matched', Number(counts[0]) > 0, counts)
      expect.that('the same count for every form of the file', new Set(counts).size === 1, counts)
    },
  },
  {
    decision: 113,
    name: 'column 2 is the timestamp where uploadDateWithSignals is true',
    async run(session, expect) {
      const csv = '192.0.2.1,2026-01-05T10:00:00Z\n198.51.100.7,2026-01-06T10:00:00Z\n'
      const segmentFileName = await session.upload(csv, { signal: 'IP' })
      const { segmentId } = await session.segment({ uploadSignal: 'IP', uploadDateWithSignals: true, segmentFileName })
      expect.text('segmentId', segmentId)
    },
  },
  {
    decision: 114,
    name: 'an empty file can be uploaded; its job is FAILED',
    async run(session, expect) {
      const segmentFileName = await session.upload('')
      expect.equal('whether it is listed', await isListed(session, segmentFileName), true)
      const started = await session.send('POST /api/segments', { json: await session.segmentBody({ segmentFileName }) })
      expect.status(started, 200)
      const { answer } = await session.ended(started)
      expect.equal('status of the job', answer.body.status, 'FAILED')
      expect.that('no segmentId', !('segmentId' in answer.body), answer.body)
    },
  },
  {
    decision: 114,
    name: 'an upload that breaks off is never visible',
    async run(session, expect) {
      const fileName = `${session.unique('conformance')}.csv`
      const whole = multipartBody([{ name: 'file', fileName, content: session.emails() }])
      async function* broken(): AsyncGenerator<Buffer> {
        yield whole.subarray(0, whole.length - 200)
        await sleep(50)
        throw new Error('broken off on purpose')
      }
      const headers = { 'content-type': MULTIPART_TYPE, 'content-length': String(whole.length) }
      const outcome = await session.send(UPLOAD, { raw: Readable.from(broken()), headers }).then(
        ({ status }) => status,
        () => 'no answer',
      )
      expect.equal('what a broken upload is answered', outcome, 'no answer')
      for (let look = 0; look < 3; look++) {
        expect.equal('whether it is listed', await isListed(session, fileName), false)
        await sleep(50)
      }
      await session.upload(session.emails(), { name: fileName })
      expect.equal('whether a whole upload is listed', await isListed(session, fileName), true)
    },
  },
]

/** The same e-mail addresses in other forms of CSV. */
function variants(plain: string): readonly string[] {
  const emails = plain.trimEnd().split('\n')
  return [
    `\uFEFF${plain}`,
    emails.map((email) => `${email}\r\n`).join(''),
    emails.map((email) => `"${email}"\n`).join(''),
    emails.map((email) => `${email},2026-01-01T00:00:00Z\n`).join(''),
    `email\n${plain}`,
    plain.trimEnd(),
  ]
}

async function isListed(session: Session, fileName: string, place = PLACE): Promise<boolean> {
  const listed = await session.all(`GET /api/files?${place}`, 'files')
  return listed.some(({ name }) => name === fileName)
}

/** A form whose file has `bytes` bytes, made while it is sent. */
function largeFile(session: Session, bytes: number, fileName = `${session.unique('conformance')}.csv`) {
  const line = 'somebody@conformance.invalid\n'
  const chunk = Buffer.from(line.repeat(40_000))
  const mark = '<content>'
  const form = multipartBody([{ name: 'file', fileName, content: mark }]).toString()
  const [head, tail] = form.split(mark)
  if (head === undefined || tail === undefined) throw new NotApplicable('the form has no content')
  function* content(): Generator<Buffer> {
    yield Buffer.from(head ?? '')
    for (let left = bytes; left > 0; left -= chunk.length) yield left < chunk.length ? chunk.subarray(0, left) : chunk
    yield Buffer.from(tail ?? '')
  }
  const length = head.length + bytes + tail.length
  return {
    raw: Readable.from(content()),
    headers: { 'content-type': MULTIPART_TYPE, 'content-length': String(length) },
  }
}
