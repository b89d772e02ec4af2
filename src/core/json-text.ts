/** JSON that has already been written as text. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
