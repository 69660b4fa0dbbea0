import { styleText } from 'node:util';

/** Writes the demo's story: in colour on a terminal, plain otherwise. */
export class Printer {
  readonly #coloured: boolean;
  #step = 0;

  constructor(
    readonly stream: NodeJS.WritableStream & { isTTY?: boolean },
    env: Readonly<Record<string, string | undefined>>,
  ) {
    // https://no-color.org
    this.#coloured = stream.isTTY === true && !env['NO_COLOR'];
  }

  step(title: string): void {
    this.#step += 1;
    this.stream.write(`\n${this.#style('bold', `${this.#step}. ${title}`)}\n`);
  }

  /** The command that does the same by hand. */
  command(text: string): void {
    this.stream.write(`${this.#style('cyan', indent(`$ ${text}`))}\n`);
  }

  result(text: string): void {
    this.stream.write(`${this.#style('green', indent(text))}\n`);
  }

  refusal(text: string): void {
    this.stream.write(`${this.#style('yellow', indent(text))}\n`);
  }

  note(text: string): void {
    this.stream.write(`${indent(text)}\n`);
  }

  #style(format: 'bold' | 'cyan' | 'green' | 'yellow', text: string): string {
    return this.#coloured ? styleText(format, text) : text;
  }
}

function indent(text: string): string {
  return text.replace(/^/gm, '   ');
}
