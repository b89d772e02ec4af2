import type { InputDeclaration } from '../core/pipeline.ts'

/** Whether the values of an input are paths of files. */
export function takesFiles({ type, items }: Pick<InputDeclaration, 'type' | 'items'>): boolean {
  return type === 'file' || (type === 'list' && items === 'file')
}
