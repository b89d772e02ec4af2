import type { ServiceGroup } from '../../api/types.ts'
import { words } from '../../format/words.ts'
import { Empty } from '../../ui/notice.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { Scopes } from './scopes.tsx'
import { Who } from './who.tsx'

const HEAD = (
  <>
    <Head>Group</Head>
    <Head>Members</Head>
    <Head>Can be reached on</Head>
    <Head>For</Head>
  </>
)

/** The groups of participants. */
export function GroupTable({ groups }: { readonly groups: readonly ServiceGroup[] }) {
  if (groups.length === 0) return <Empty>This network has no groups.</Empty>
  return (
    <Table label="Groups" head={HEAD}>
      {groups.map(({ groupId, groupName, description, groupMembers, deliveryScopes, features }) => (
        <tr key={groupId}>
          <td class="name">
            <bdi>{groupName}</bdi>
            <span class="under figure">{groupId}</span>
            {description !== '' && <span class="under">{description}</span>}
          </td>
          <td class="text">
            {groupMembers.map((id) => (
              <div key={id}>
                <Who id={id} />
              </div>
            ))}
          </td>
          <td class="text">
            <Scopes scopes={deliveryScopes} />
          </td>
          <td class="text">
            {features.length === 0 ? <span class="muted">nothing</span> : features.map(words).join(', ')}
          </td>
        </tr>
      ))}
    </Table>
  )
}
