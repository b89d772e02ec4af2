import { setQuery } from '../../router/location.ts'
import { network } from './network.ts'

/** A participant as a filter of a list; it is in the URL. */
export function ParticipantChoice({ chosen }: { readonly chosen: number }) {
  const { participants } = network.value
  const isKnown = chosen === 0 || participants.some(({ id }) => id === chosen)
  return (
    <select
      aria-label="Participant"
      value={chosen === 0 ? '' : chosen}
      onChange={({ currentTarget }) => setQuery({ participant: currentTarget.value })}
    >
      <option value="">All participants</option>
      {!isKnown && <option value={chosen}>{chosen}</option>}
      {participants.map(({ id, name }) => (
        <option key={id} value={id}>
          {id} {name}
        </option>
      ))}
    </select>
  )
}
