import { nameOf } from './network.ts'

/** A participant or group: its name, and its id whole. */
export function Who({ id }: { readonly id: number | string }) {
  const name = nameOf(String(id))
  return (
    <>
      {name !== undefined && <bdi>{name}</bdi>} <span class={name === undefined ? 'figure' : 'figure muted'}>{id}</span>
    </>
  )
}
