import type { NetworkFile } from './network-file.ts'

/** A value that does not fit the rest of its network. */
export interface ReferenceProblem {
  readonly pointer: string
  readonly code: 'unknown-participant' | 'duplicate-id' | 'unknown-scope'
  readonly message: string
  readonly hint: string
}

/** Finds duplicate ids, references to missing participants, and custom scopes that no participant has. */
export function referenceProblems(network: NetworkFile): ReferenceProblem[] {
  const { participants, groups = [], integrations = [] } = network
  const known = new Set(participants.map(({ id }) => id))
  const unknown = (ids: readonly number[] | undefined, pointer: string): ReferenceProblem[] =>
    (ids ?? []).flatMap((id, index) => (known.has(id) ? [] : [unknownParticipant(id, `${pointer}/${index}`)]))
  return [
    ...duplicates(participants.map(({ id }, index) => [String(id), `/participants/${index}/id`])),
    ...duplicates(groups.map(({ groupId }, index) => [groupId, `/groups/${index}/groupId`])),
    ...duplicates(integrations.map(({ id }, index) => [String(id), `/integrations/${index}/id`])),
    ...participants.flatMap(({ partners }, index) => unknown(partners, `/participants/${index}/partners`)),
    ...participants.flatMap(customScopesWithoutReach),
    ...groups.flatMap(({ groupMembers, groupAccess }, index) => [
      ...unknown(groupMembers, `/groups/${index}/groupMembers`),
      ...unknown(groupAccess, `/groups/${index}/groupAccess`),
    ]),
    ...integrations.flatMap(({ participantId }, index) =>
      known.has(participantId) ? [] : [unknownParticipant(participantId, `/integrations/${index}/participantId`)],
    ),
  ]
}

function unknownParticipant(id: number, pointer: string): ReferenceProblem {
  return {
    pointer,
    code: 'unknown-participant',
    message: `participant ${id} is not in this network`,
    hint: 'add it under participants, or correct the id',
  }
}

function duplicates(entries: readonly (readonly [string, string])[]): ReferenceProblem[] {
  const seen = new Set<string>()
  return entries.flatMap(([id, pointer]) => {
    if (!seen.has(id)) {
      seen.add(id)
      return []
    }
    return [{ pointer, code: 'duplicate-id', message: `the id ${id} is used twice`, hint: 'give each its own id' }]
  })
}

function customScopesWithoutReach(participant: NetworkFile['participants'][number], index: number): ReferenceProblem[] {
  const { customDeliveryScopesDetail = [], deliveryScopes = [] } = participant
  return customDeliveryScopesDetail.flatMap(({ value }, detail) => {
    if (deliveryScopes.includes(value)) return []
    return [
      {
        pointer: `/participants/${index}/customDeliveryScopesDetail/${detail}/value`,
        code: 'unknown-scope',
        message: `${value} is not among the deliveryScopes of participant ${participant.id}`,
        hint: `add ${value} to its deliveryScopes`,
      },
    ]
  })
}
