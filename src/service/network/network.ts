import type { NetworkFile } from './network-file.ts'

type Entry<List extends 'participants' | 'groups' | 'integrations'> = NonNullable<NetworkFile[List]>[number]

/** The minimum time, in milliseconds, that a job spends in each status. */
export type Latencies = Readonly<Record<'PENDING' | 'READY' | 'RUNNING', number>>

/** A participant with all defaults filled in. If `partners` is absent, it works with everybody. */
export type Participant = Readonly<
  Required<Omit<Entry<'participants'>, 'partners' | 'customDeliveryScopesDetail'>> &
    Pick<Entry<'participants'>, 'partners' | 'customDeliveryScopesDetail'>
>
export type NetworkGroup = Readonly<Required<Entry<'groups'>>>
export type NetworkIntegration = Readonly<Required<Entry<'integrations'>>>

/** A network as the service uses it: validated, with references resolved and defaults filled in. */
export interface Network {
  readonly participants: readonly Participant[]
  readonly groups: readonly NetworkGroup[]
  readonly integrations: readonly NetworkIntegration[]
  readonly population: { readonly people: number; readonly seed: number }
  readonly latencies: Latencies
}

/** The paths of a participant's API begin with this (decision 1). */
export function participantPath(id: number | string): string {
  return `/p/${id}`
}

/**
 * The participant with an id. The service checks ids before it calls the match engine, so it is a bug if the
 * participant is missing.
 */
export function participantOf(network: Network, id: number | null | undefined): Participant {
  const participant = network.participants.find((candidate) => candidate.id === id)
  if (!participant) throw new Error(`participant ${id} is not in the network`)
  return participant
}
