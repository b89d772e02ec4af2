import { valueText } from '../../format/value-text.ts'

/** What stands in columns of its own, or is the same in every line. */
const LEFT_OUT = new Set(['at', 'event', 'runId', 'pipeline', 'seq', 'version'])

/** The fields of an event in one line. */
export function eventText(event: Readonly<Record<string, unknown>>): string {
  return Object.entries(event)
    .filter(([name, value]) => !LEFT_OUT.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join('  ')
}
