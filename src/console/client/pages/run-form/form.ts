import type { Signal } from '@preact/signals'
import type { FieldDeclaration } from '../../api/types.ts'

/** What the fields of a form share. */
export interface Form {
  readonly pipeline: string
  /** How many files are on their way. The form waits for them. */
  readonly uploads: Signal<number>
}

/** What one value is typed into. */
export interface ControlProps {
  readonly field: FieldDeclaration
  readonly text: string
  readonly onText: (text: string) => void
  readonly form: Form
  /** What names and describes it. */
  readonly about: {
    readonly id: string
    readonly 'aria-label'?: string
    readonly 'aria-describedby': string
    readonly 'aria-invalid': boolean
    readonly 'aria-required': boolean
  }
}
