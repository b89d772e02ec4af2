import { randomBytes } from 'node:crypto'
import type { Redact } from '../../src/core/secrets.ts'
import { compare } from '../support/compare.ts'
import { redactThree, THREE_SECRETS } from '../support/redact-three.ts'
import { printReport, type Row } from '../support/report.ts'
import { median } from '../support/stats.ts'

/**
 * Removing three secrets, compared to replacing only their most usual forms: no parts of a secret, no nested encodings,
 * no breaks.
 */
const ROUNDS = 15
/** Characters per round. */
const WORK = 4_000_000

const record = (index: number) =>
  JSON.stringify({
    type: 'step.finished',
    step: 'match',
    item: null,
    attempt: 1,
    outputs: { matchId: String(4711 + index), matchCount: 123_456 + index, jobId: '8812', status: 'COMPLETED' },
    url: 'https://service.example.org/api/v1/segments/match/4711',
    at: '2026-11-25T14:00:00.000Z',
    runId: `0198f2c1-7c3a-7d11-9a55-${(0x3f0f7be0a1c2 + index * 7919).toString(16).slice(-12)}`,
  })
const records = (count: number) => Array.from({ length: count }, (_, index) => record(index))
const message = (index: number) => `the step "match-${index}" took 12 seconds, and 50 % of the list is known`

/** Texts without a secret, like almost all texts. */
const JSONS: Readonly<Record<string, readonly string[]>> = {
  'a record of 300 characters': records(200),
  'JSON of 10 kB': Array.from({ length: 20 }, () => JSON.stringify(records(33).map((text) => JSON.parse(text)))),
  'JSON of 1.1 MB': [JSON.stringify(records(3900).map((text) => JSON.parse(text)))],
  'JSON of 1.1 MB in JSON': [JSON.stringify({ said: records(3000).join('\n') })],
  'JSON of 1.1 MB, messages': [JSON.stringify(Array.from({ length: 14_500 }, (_, index) => message(index)))],
}
/** The peer never decodes, so these figures have no peer. */
const STATED = ['JSON of 1.1 MB in JSON', 'JSON of 1.1 MB, messages']
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')
/** Long texts that consist only of encoded data. */
const LONG: Readonly<Record<string, string>> = {
  'base64 of random bytes': base64(randomBytes(900_000)),
  'base64 of words': base64('the quick brown fox jumps over '.repeat(29_000)),
  'base64 of JSON': base64(`[${records(3000).join()}]`.slice(0, 900_000)),
  'base64 of base64': base64(base64('the quick brown fox jumps over '.repeat(21_800))),
  'hashes in JSON': JSON.stringify(Array.from({ length: 17_000 }, () => randomBytes(32).toString('hex'))),
  'escapes of all kinds': '\\\\u0041&quot;%22+'.repeat(70_000),
  'percent-encoding': encodeURIComponent('{"a b"} é').repeat(44_000),
  'nothing but secrets': `${THREE_SECRETS[0]} `.repeat(26_000),
}

/**
 * The forms that an earlier version searched for: in clear, in JSON and twice in JSON, in URLs and forms, and in base64
 * at any offset.
 */
function replaceForms(): Redact {
  const forms = THREE_SECRETS.flatMap((secret) => {
    const json = JSON.stringify(secret).slice(1, -1)
    const urls = [encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)]
    const encoded = [0, 1, 2].map((before) => {
      const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
      return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
    })
    return [
      ...[secret, json, json.replaceAll('/', '\\/'), JSON.stringify(json).slice(1, -1)],
      ...urls.flatMap((url) => [url, url.replace(/%[0-9A-F]{2}/g, (found) => found.toLowerCase())]),
      ...encoded.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]),
    ]
  })
  const all = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) => all.reduce((rest, form) => rest.replaceAll(form, '***'), text)
}

const ours = redactThree()
const rows: Row[] = []
for (const [name, texts] of Object.entries(JSONS)) {
  const characters = texts.reduce((sum, { length }) => sum + length, 0)
  const times = Math.ceil(WORK / characters)
  const perText = (redact: Redact) => () => {
    const spent = processorTime(() => {
      for (let left = times; left > 0; left--) for (const text of texts) redact(text)
    })
    return (spent * 1000) / times / texts.length
  }
  const limit = STATED.includes(name) ? 'none' : ({ atMost: 3 } as const)
  const sides = { ours: perText(ours), peer: perText(replaceForms()) }
  rows.push(await compare({ name, unit: 'µs', rounds: ROUNDS, ...sides, limit }))
}
printReport('Removing three secrets (ours) beside replacing their usual forms (peer)', rows, [
  'Microseconds of processor for one text without a secret. The peer finds no stretches, no entities, no two encodings and no breaks.',
])
printReport(
  'Long texts',
  Object.entries(LONG).map(([text, value]) => {
    const all = Array.from({ length: 7 }, () => processorTime(() => ours(value)))
    return { text, characters: value.length.toLocaleString('en'), 'ms of processor, median': median(all).toFixed(1) }
  }),
)

/** Milliseconds of processor time, which other load changes only a little. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
