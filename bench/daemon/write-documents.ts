import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface DocumentText {
  readonly name: string
  /** Entries of `triggers`, each one YAML flow mapping. */
  readonly triggers: readonly string[]
  /** If true, the step uploads the input `file`. Otherwise, it lists segments named after the slot. */
  readonly takesFiles?: boolean
}

/** Writes documents to `pipelines/` in a folder. Each of their runs makes one request. */
export function writeDocuments(root: string, documents: readonly DocumentText[]): void {
  const folder = join(root, 'pipelines')
  mkdirSync(folder, { recursive: true })
  for (const document of documents) writeFileSync(join(folder, `${document.name}.yaml`), textOf(document))
}

function textOf({ name, triggers, takesFiles = false }: DocumentText): string {
  return `version: 1
name: ${name}
inputs:
  about: { type: string, default: ${name} }
  file: { type: string, default: none.csv }
triggers:
${triggers.map((trigger) => `  - ${trigger}\n`).join('')}
steps:
  - id: only
${takesFiles ? UPLOAD : LIST}`
}

const UPLOAD = `    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
`
const LIST = `    uses: segments.list
    with: { participantSegmentId: "\${{ inputs.about }}" }
`

/** Every minute. The request of its run names the pipeline and the slot. */
export function everyMinute(name: string): string {
  const about = `about: "${name}/\${{ trigger.at }}"`
  return `{ id: minutely, schedule: { cron: "* * * * *" }, inputs: { ${about} } }`
}

/** Once a day, at a time that is hours away. */
export function daily(id: string, number: number): string {
  const [zone, offsetHours] = ZONES[number % ZONES.length] ?? ZONES[0]
  const hour = (new Date().getUTCHours() + AWAY_HOURS + (number % SPREAD_HOURS) + offsetHours + 24) % 24
  return `{ id: ${id}, schedule: { cron: "${number % 60} ${hour} * * *", timezone: ${zone}, jitter: 5m } }`
}

const AWAY_HOURS = 4
const SPREAD_HOURS = 16
/** Roughly their offset from UTC. */
const ZONES = [
  ['UTC', 0],
  ['America/New_York', -5],
  ['Europe/Berlin', 1],
  ['Asia/Kathmandu', 6],
] as const

/** A folder below `inbox/` beside the pipelines. */
export function watched(folder: string, settle: string): string {
  const paths = `path: ../inbox/${folder}, done: ../inbox/${folder}/done, failed: ../inbox/${folder}/failed`
  const watch = `{ ${paths}, pattern: "*.csv", settle: ${settle} }`
  return `{ id: drop, watch: ${watch}, inputs: { file: "\${{ trigger.file }}" } }`
}
