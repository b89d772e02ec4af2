import { signal } from '@preact/signals'
import { readChoice, writeChoice } from '../choices.ts'

const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The time zone that all times are shown in. */
export const zone = signal(knownZone(readChoice('zone')) ?? ownZone)

export function chooseZone(name: string): void {
  zone.value = name
  writeChoice('zone', name === ownZone ? '' : name)
}

/** The time zones to choose from. The zone of the browser and UTC come first. */
export function zoneNames(): string[] {
  return [...new Set([ownZone, 'UTC', zone.peek(), ...Intl.supportedValuesOf('timeZone')])]
}

function knownZone(name: string): string | undefined {
  try {
    return name === '' ? undefined : Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
