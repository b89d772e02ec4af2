import type { Fields } from '../../triggers/schedule/local-minutes.ts'
import { segmentStep } from '../segment-step.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** A schedule. Both the document and the oracle are written from it. */
export interface NightSchedule {
  readonly name: string
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly zone: string
  readonly missed: 'none' | 'last' | 'all'
  readonly catchupMs: number
  readonly overlap: 'skip' | 'queue' | 'allow'
  readonly repeatedHour: 'once' | 'twice'
  /** 0 is Sunday. */
  readonly weekdaysOff: readonly number[]
  readonly jitterMs: number
  /** `ensure`: the whole chain, at the service. `read`: one request. `ask`: on some nights it asks a person. */
  readonly does: 'ensure' | 'read' | 'ask'
}

const usual = {
  minutes: [30],
  hours: [2],
  zone: 'America/New_York',
  missed: 'last',
  catchupMs: DAY_MS,
  overlap: 'skip',
  repeatedHour: 'once',
  weekdaysOff: [],
  jitterMs: 0,
} as const

export const SCHEDULES: readonly NightSchedule[] = [
  { ...usual, name: 'east', catchupMs: 36 * HOUR_MS, does: 'ensure' },
  {
    ...usual,
    name: 'berlin',
    zone: 'Europe/Berlin',
    missed: 'all',
    catchupMs: 2 * DAY_MS,
    overlap: 'queue',
    does: 'ensure',
  },
  { ...usual, name: 'early', hours: [1], missed: 'none', weekdaysOff: [0, 6], jitterMs: 300_000, does: 'ensure' },
  { ...usual, name: 'often', hours: [1, 2], missed: 'all', overlap: 'allow', repeatedHour: 'twice', does: 'read' },
  { ...usual, name: 'impatient', minutes: [0], hours: [4], does: 'ask' },
  { ...usual, name: 'patient', minutes: [0], hours: [4], missed: 'all', overlap: 'queue', does: 'ask' },
]

export function fieldsOf({ minutes, hours }: NightSchedule): Fields {
  return { isInterval: false, minutes, hours, days: '*', months: '*', weekdays: '*' }
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** The document. On the night of `askedOn`, like `2026-11-02`, the schedules that ask wait for a person. */
export function documentOf(schedule: NightSchedule, askedOn: string): string {
  const { name, minutes, hours, zone, missed, catchupMs, overlap, repeatedHour, weekdaysOff, jitterMs } = schedule
  const days = weekdaysOff.map((day) => WEEKDAYS[day]).join(', ')
  return `version: 1
name: ${name}
inputs:
  night: { type: date }
triggers:
  - id: night
    schedule:
      cron: "${minutes} ${hours} * * *"
      timezone: ${zone}
      missed: ${missed}
      catchupWindow: ${catchupMs / HOUR_MS}h
      overlap: ${overlap}
      repeatedHour: ${repeatedHour}
      jitter: ${jitterMs / 1000}s
      exclude: { weekdays: [${days}] }
    inputs: { night: "\${{ trigger.date }}" }
steps:
${STEPS[schedule.does](name, askedOn)}`
}

const STEPS: Readonly<Record<NightSchedule['does'], (name: string, askedOn: string) => string>> = {
  ensure: (name) => `
  - { id: upload, uses: files.upload, with: { file: people.csv, uploadSignal: EMAIL, resultContent: BGID } }
${segmentStep('segments.ensure', name)}  - id: match
    uses: matches.ensure
    with:
      segmentId: \${{ steps.segment.outputs.segmentId }}
      groupId: 9001
      deliveryScopes: [CABLE]
      shareSegmentName: true
      accessBgIds: false
  - id: activate
    uses: activations.ensure
    with:
      activationName: ${name}
      segmentId: \${{ steps.segment.outputs.segmentId }}
      matchJobId: \${{ steps.match.outputs.matchJobId }}
      refreshRate: 30
      actionType: REQUEST
`,
  read: () => `
  - { id: look, uses: groups.list, with: {} }
`,
  ask: (_name, askedOn) => `
  - { id: release, uses: approval.wait, if: '\${{ inputs.night == "${askedOn}" }}' }
  - { id: look, uses: groups.list, with: {} }
`,
}
