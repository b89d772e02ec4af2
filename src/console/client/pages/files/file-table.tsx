import { formatBytes } from '../../../../core/format/figures.ts'
import { RetryFileDialog } from '../../actions/retry-file-dialog.tsx'
import type { WatchedFile } from '../../api/types.ts'
import { PipelineLink } from '../../runs/run-link.tsx'
import { may } from '../../shell/me.ts'
import { openModal } from '../../ui/modal.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { Time, TimeHead } from '../../ui/time.tsx'
import { SlotState } from '../schedules/slot-state.tsx'

/** Files that were found, newest first. */
export function FileTable({ files, reload }: { readonly files: readonly WatchedFile[]; readonly reload: () => void }) {
  if (files.length === 0) return <Empty>No file has been found yet.</Empty>
  const head = (
    <>
      <Head>File</Head>
      <Head>Pipeline</Head>
      <TimeHead>Found</TimeHead>
      <Head right>Size</Head>
      <Head>What became of it</Head>
    </>
  )
  return (
    <Table label="Files" head={head}>
      {files.map((file) => (
        <tr key={`${file.pipeline}/${file.trigger}/${file.key}`}>
          <td class="name" title={file.file}>
            <bdi>{file.name ?? file.file ?? file.key}</bdi>
          </td>
          <td class="text">
            <PipelineLink name={file.pipeline} /> <span class="muted">{file.trigger}</span>
          </td>
          <td>
            <Time at={file.at} />
          </td>
          <td class="right figure">{file.size === undefined ? '–' : formatBytes(file.size)}</td>
          <td class="text">
            <SlotState slot={file} />
            {file.canRetry && may('operator') && (
              <button
                type="button"
                onClick={() => openModal((onClose) => <RetryFileDialog {...{ file, onClose }} done={reload} />)}
              >
                Drop again…<span class="hidden"> {file.name}</span>
              </button>
            )}
          </td>
        </tr>
      ))}
    </Table>
  )
}
