import { signal } from '@preact/signals'
import type { ServiceGroup, ServiceParticipant } from '../../api/types.ts'

/** Who there is, for the names beside ids. */
export const network = signal<{
  readonly participants: readonly ServiceParticipant[]
  readonly groups: readonly ServiceGroup[]
}>({ participants: [], groups: [] })

/** The name of a participant or group. */
export function nameOf(wanted: string): string | undefined {
  const { participants, groups } = network.value
  return (
    participants.find(({ id }) => String(id) === wanted)?.name ??
    groups.find(({ groupId }) => groupId === wanted)?.groupName
  )
}
