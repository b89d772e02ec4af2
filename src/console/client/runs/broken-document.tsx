import { count } from '../../../core/format/figures.ts'
import type { PipelineItem, System } from '../api/types.ts'
import { Notice } from '../ui/notice.tsx'
import { Time } from '../ui/time.tsx'
import { pipelineAddress } from './run-link.tsx'

/**
 * Says that the file of a pipeline is invalid, which version is used instead, and what each error is. Each error has a
 * link to its line.
 */
export function BrokenDocument({ pipeline: { name, problem } }: { pipeline: PipelineItem }) {
  if (!problem) return null
  const address = (line: number) => pipelineAddress(name, { tab: 'document', line: String(line) })
  return (
    <Notice tone="wait" icon="warning">
      <strong>
        Last valid version{' '}
        {problem.validFrom !== undefined && (
          <>
            of <Time at={problem.validFrom} withZone />
          </>
        )}
        ; the file has {count(problem.errors, 'error')}
      </strong>
      <ul class="history">
        {problem.messages.map(({ message, line }) => (
          <li key={message} class="break">
            {message} {line !== undefined && <a href={address(line)}>Show line {line}</a>}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

/** The checks that fail, and the files in the pipelines folder that are invalid now, with errors and positions. */
export function WhatIsWrong({ checks, problems }: Pick<System, 'checks' | 'problems'>) {
  return (
    <>
      {checks.map(({ check, reason }) => (
        <Notice key={check} tone="bad" icon="warning">
          <strong>{check}</strong> <span>{reason}</span>
        </Notice>
      ))}
      {problems.map(({ file, messages }) => (
        <Notice key={file} tone="bad" icon="warning">
          <strong>{file}</strong>
          <ul class="history">
            {messages.map((message) => (
              <li key={message}>{message.startsWith(`${file}:`) ? message.slice(file.length + 1) : message}</li>
            ))}
          </ul>
        </Notice>
      ))}
    </>
  )
}
