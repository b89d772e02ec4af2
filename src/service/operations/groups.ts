import type { Group } from '../../contract/groups.ts'
import { notFound } from '../api-error.ts'
import type { Handlers, OperationsOf } from '../call.ts'
import type { NetworkGroup } from '../network/network.ts'
import { groupsOf } from './partnership.ts'

export const groupHandlers: Handlers<OperationsOf<'groups'>> = {
  'groups.get'({ network, caller }, { id }) {
    const group = groupsOf(network, caller).find((candidate) => candidate.groupId === id)
    if (!group) throw notFound('group', id)
    return groupView(group)
  },

  'groups.list'({ network, caller }, { groupFeature }) {
    const groups = groupsOf(network, caller).filter((group) => !groupFeature || group.features.includes(groupFeature))
    return { group: groups.map(groupView) }
  },
}

function groupView(group: NetworkGroup): Group {
  return { ...group, parameters: { roles: group.parameters.roles ?? null } }
}
