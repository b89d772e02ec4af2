import type { Network, Participant } from '../network/network.ts'

/**
 * Returns the participant with an id. The service checks ids before it calls the match engine, so a missing participant
 * is a bug.
 */
export function participantOf(network: Network, id: number | undefined): Participant {
  const participant = network.participants.find((candidate) => candidate.id === id)
  if (!participant) throw new Error(`participant ${id} is not in the network`)
  return participant
}
