/** An SQL function for DuckDB. It works on a chunk of rows, in this thread. */
interface TextFunction {
  readonly name: string
  mainFunction(info: unknown, input: Chunk, output: Output): void
}

interface Chunk {
  readonly rowCount: number
  getColumnVector(column: number): { getItem(row: number): unknown }
}

interface Output {
  setItem(row: number, value: string | null): void
  flush(): void
}

/** SQL functions for DuckDB that take one text. If a function returns undefined, the result is NULL. */
export function sqlTextFunctions(
  functions: Readonly<Record<string, (text: string) => string | undefined>>,
): readonly TextFunction[] {
  return Object.entries(functions).map(([name, of]) => ({
    name,
    mainFunction(_info, input, output) {
      const texts = input.getColumnVector(0)
      for (let row = 0; row < input.rowCount; row += 1) {
        const text = texts.getItem(row)
        output.setItem(row, typeof text === 'string' ? (of(text) ?? null) : null)
      }
      output.flush()
    },
  }))
}
