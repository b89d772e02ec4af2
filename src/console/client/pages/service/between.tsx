import { Who } from './who.tsx'

/** Who asked, and whom; an activation of a group match does not name the group. */
export function Between({
  requester,
  partner,
}: {
  readonly requester: number
  readonly partner: number | string | undefined
}) {
  return (
    <>
      <Who id={requester} />
      <span class="under">with {partner === undefined ? 'a group' : <Who id={partner} />}</span>
    </>
  )
}
