import { basename } from 'node:path'
import type { Pipeline } from '../../src/core/pipeline.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { loadTest } from '../../src/rehearsal/read-test.ts'
import type { TestDeps } from '../../src/rehearsal/test-reading.ts'
import { stepTypes } from '../../src/steps/index.ts'

const NIGHTLY = `version: 1
name: nightly
inputs:
  file: { type: file, default: data/list.csv }
  minimum: { type: integer, default: 100 }
  group: { type: integer }
triggers:
  - id: night
    schedule: { cron: "0 2 * * *", timezone: UTC }
    inputs: { group: 9001 }
  - id: drop
    watch: { path: inbox, pattern: "*.csv", done: done, failed: failed }
    inputs: { file: "\${{ trigger.file }}", group: 9001 }
steps:
  - id: upload
    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
  - id: each
    forEach: { items: [1, 2], as: one }
    steps:
      - id: ask
        uses: approval.wait
        with: { message: "\${{ one }}?", approvers: [anna, bert] }
  - id: match
    uses: matches.ensure
    with: { segmentId: "1", groupId: "\${{ inputs.group }}", deliveryScopes: [CABLE], shareSegmentName: false, accessBgIds: false }
outputs:
  matchCount: \${{ steps.match.outputs.matchCount }}
  about: \${{ inputs.minimum }} of \${{ steps.upload.outputs.name }}
`

const ABOVE = `version: 1
name: above
inputs: { file: { type: file, default: nightly.yaml } }
steps:
  - { id: refresh, uses: pipelines.run, with: { file: nightly.yaml, inputs: { group: 9001 } } }
  - id: region
    forEach: { items: [a/b], as: one, key: "\${{ one }}" }
    steps:
      - { id: nested, uses: pipelines.run, with: { file: nightly.yaml, inputs: { group: 9001 } } }
  - { id: computed, uses: pipelines.run, with: { file: "\${{ inputs.file }}" } }
`

/** The pipelines of a project, by their names. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'nightly.yaml': NIGHTLY,
  'above.yaml': ABOVE,
  'broken.yaml': 'version: 1\nname: broken\nstepz: []\n',
  'quiet.yaml': NIGHTLY.replace(/triggers:[\s\S]*?(?=steps:)/, '').replace('name: nightly', 'name: quiet'),
}

const loaded = new Map(
  Object.entries(DOCUMENTS).map(([name, text]) => {
    const file = `/project/pipelines/${name}`
    return [file, loadPipeline({ text, file, stepTypes })]
  }),
)

const FILES = ['/project/pipelines/data/kept.csv', '/project/network.yaml', '/project/wrong.yaml', ...loaded.keys()]

export const deps: TestDeps = {
  root: '/project',
  outsideHint: 'the project is /project',
  stepTypes,
  readPipeline: (file) => loaded.get(file),
  networkProblems: (file) => {
    const at = { file, line: 3, column: 1 }
    return file === '/project/wrong.yaml'
      ? [{ severity: 'error', code: 'missing-key', message: 'no participants', at }]
      : []
  },
  channels: ['ops', 'growth'],
  optOuts: ['/project/optouts.csv'],
  profiles: ['local', 'staging'],
  files: {
    isFile: (path) => FILES.includes(path),
    whyUnseen: () => undefined,
    namesIn: (folder) => FILES.filter((file) => file.startsWith(`${folder}/`)).map((file) => basename(file)),
  },
}

/** Reads a test document next to the pipelines. */
export function load(text: string) {
  return loadTest({ text, file: '/project/pipelines/nightly.test.yaml' }, deps)
}

export const WHOLE = `test: nightly.yaml
given:
  from: 2026-10-20
  files:
    data/list.csv: { people: 5200, others: 3%, seed: 7 }
    data/notes.txt: "plain\\n"
    data/other.csv: { copy: data/kept.csv }
  profile: staging
  env: { TOKEN: abc }
  service: { latencies: realistic, network: ../network.yaml }
tests:
  - it: does everything
    do:
      - run: { inputs: { group: 9007199254740993, minimum: 5 } }
        faults: [{ operation: jobs.get, action: status, status: 500, times: 2 }]
        kill: { after: segments.create }
        expect:
          status: waiting
          held: each[0].ask
          runs: { succeeded: 1, waiting: 2 }
          outputs: { matchCount: 9007199254740993, about: 12 }
          writes: { segments.create: 1, matches.create: 0 }
          notified: { ops: [approval, answered] }
          sent: [{ url: "https://example.com/", body: { text: hello, n: 3 } }]
          live: { segments: 1 }
          check:
            - \${{ run.outputs.matchCount > 1000 && run.finishedAt - run.startedAt < duration("2h") }}
            - \${{ runs.all(one, one.status == "succeeded" && one.inputs.minimum == 5) }}
            - \${{ steps.match.outputs.matchCount == 1 }}
      - nights: 14
        change: { data/list.csv: { people: 10 }, data/notes.txt: null }
      - night: true
      - slot: true
      - slot: night
      - wait: 3h
      - drop: { inbox/a.csv: { people: 4, signal: IP } }
        expect: { error: job-failed, sent: 2 }
      - approve: each[1].ask
        expect: { error: { step: match } }
      - reject: match
      - partner: { fail: match }
      - retry: true
      - retry: { from: ask }
      - cancel: true
      - change: { data/list.csv: "" }
      - run: { inputs: { group: 1 } }
        expect: { plan: { create: 3, leave: 1 } }
      - approve: { step: "each[0].ask", by: anna }
      - expect: {}
`

/** The pipeline of `WHOLE`. */
export function nightly(): Pipeline {
  return loaded.get('/project/pipelines/nightly.yaml')!.pipeline!
}
