import type { System } from '../../api/types.ts'
import { RunLink } from '../../runs/run-link.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { Time, TimeHead } from '../../ui/time.tsx'

/** The processes that work on runs. */
export function WorkerTable({ workers }: Pick<System, 'workers'>) {
  if (workers.length === 0) return <Empty>No process works on runs.</Empty>
  const head = (
    <>
      <Head>Name</Head>
      <Head>Process</Head>
      <Head>Version</Head>
      <TimeHead>Started</TimeHead>
      <Head right>Runs</Head>
      <Head right>Waits</Head>
      <Head>Stuck</Head>
    </>
  )
  return (
    <Table label="Workers" head={head}>
      {workers.map(({ name, host, pid, version, startedAt, runs, keeper, waits, stuck }) => (
        <tr key={name}>
          <td class="name">
            {name}
            {keeper && <span class="muted"> (keeper)</span>}
          </td>
          <td class="text">
            {pid} on {host}
          </td>
          <td>{version}</td>
          <td>
            <Time at={startedAt} />
          </td>
          <td class="right figure">{runs}</td>
          <td class="right figure">{waits ?? '–'}</td>
          <td>
            {stuck === undefined ? (
              <span class="muted">asked at that process</span>
            ) : stuck.length === 0 ? (
              <span class="muted">none</span>
            ) : (
              stuck.map((runId) => (
                <div key={runId}>
                  <RunLink runId={runId} />
                </div>
              ))
            )}
          </td>
        </tr>
      ))}
    </Table>
  )
}
