import { signal } from '@preact/signals'
import type { ServiceGroup, ServiceParticipant } from '../../api/types.ts'
import { place, setQuery } from '../../router/location.ts'
import { Select } from '../../ui/fields.tsx'

/** All participants and groups, to show their names with their ids. */
export const network = signal<{
  readonly participants: readonly ServiceParticipant[]
  readonly groups: readonly ServiceGroup[]
}>({ participants: [], groups: [] })

function nameOf(wanted: string): string | undefined {
  const { participants, groups } = network.value
  return (
    participants.find(({ id }) => String(id) === wanted)?.name ??
    groups.find(({ groupId }) => groupId === wanted)?.groupName
  )
}

/** A participant or group, with its name and its full id. */
export function Who({ id }: { id: number | string }) {
  const name = nameOf(String(id))
  return (
    <>
      {name !== undefined && <bdi>{name}</bdi>} <span class={name === undefined ? 'figure' : 'figure muted'}>{id}</span>
    </>
  )
}

/** Anything with a name and an id. */
export function Named({ name, id }: { name: string; id: number | string }) {
  return (
    <>
      <bdi>{name}</bdi>
      <span class="under figure">{id}</span>
    </>
  )
}

/** Who asked, and who was asked. An activation of a group match does not name the group. */
export function Between({ requester, partner }: { requester: number; partner: number | string | undefined }) {
  return (
    <>
      <Who id={requester} />
      <span class="under">with {partner === undefined ? 'a group' : <Who id={partner} />}</span>
    </>
  )
}

/** Delivery scopes. A scope is never broken over two lines. */
export function Scopes({ scopes }: { scopes: readonly string[] }) {
  if (scopes.length === 0) return <span class="muted">none</span>
  return scopes.map((scope, at) => (
    <span key={scope}>
      <span class="figure">{scope}</span>
      {at < scopes.length - 1 && ', '}
    </span>
  ))
}

/** The participant whose rows a list shows, from the URL; undefined if it shows all rows. */
export function chosenParticipant(): number | undefined {
  const id = Number(place.value.query.get('participant'))
  return id > 0 ? id : undefined
}

/** Lets people choose the participant whose rows a list shows. The choice is in the URL. */
export function ParticipantChoice() {
  const { participants } = network.value
  const chosen = chosenParticipant()
  const isKnown = chosen === undefined || participants.some(({ id }) => id === chosen)
  return (
    <Select
      name="Participant"
      value={String(chosen ?? '')}
      choices={[
        ['', 'All participants'],
        ...(isKnown ? [] : [String(chosen)]),
        ...participants.map(({ id, name }) => [String(id), `${id} ${name}`] as const),
      ]}
      onChoice={(participant) => setQuery({ participant })}
    />
  )
}
