import { AudienceError } from '../../core/errors.ts'

/** The error for a state in a folder, which has no workers. */
export function oneMachine(state: string): AudienceError {
  return new AudienceError({
    code: 'state-is-folder',
    kind: 'invalid',
    message: `the state is the folder ${state}, which only one audience start works on`,
    hint: '`audience status` shows it; stop it with SIGTERM or Ctrl-C, and the next start resumes its runs. Workers share a state in PostgreSQL: docs/many-machines.md',
  })
}
