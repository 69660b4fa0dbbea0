/** Headers of an answer in the shape that the SDKs' pipeline reads. */
export class AnswerHeaders extends Map<string, string> {
  constructor(headers: Readonly<Record<string, string>>) {
    super(Object.entries(headers));
  }

  override get(name: string): string | undefined {
    return super.get(name.toLowerCase());
  }

  override has(name: string): boolean {
    return super.has(name.toLowerCase());
  }

  toJSON(): Record<string, string> {
    return Object.fromEntries(this);
  }
}
