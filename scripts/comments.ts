/**
 * The comments of a source file, for checks that read what is said and not what is run. Strings, template literals
 * and regular expressions are skipped, so that `"// no comment"` is none.
 */
interface Comment {
  /** Of its first character, from 1. */
  readonly line: number;
  /** Without its markers, one space for each line break. */
  readonly text: string;
}

/** Where a comment stands in its source, its markers included. */
interface PlacedComment extends Comment {
  readonly start: number;
  readonly end: number;
}

/** @param file - its name tells the language: Python has `#`, everything else here `//` and `/* … *\/` */
export function commentsOf(file: string, source: string): Comment[] {
  return file.endsWith(".py") ? pythonComments(source) : blockComments(source);
}

/** Lines of a source, in a language with block comments, that hold more than a comment or nothing. */
export function codeLines(source: string): number {
  let code = "";
  let from = 0;
  for (const { start, end } of blockComments(source)) {
    code += source.slice(from, start) + "\n".repeat(source.slice(start, end).split("\n").length - 1);
    from = end;
  }
  return (code + source.slice(from)).split("\n").filter((line) => line.trim() !== "").length;
}

/** After these a slash begins a regular expression; after anything else it divides. */
const beforeRegex = /(?:^|[(,=:[!&|?{};<>+\-*%~^]|\b(?:return|typeof|case|in|of|yield|await))\s*$/;

function blockComments(source: string): PlacedComment[] {
  const comments: PlacedComment[] = [];
  // Runs of line comments are one comment: a citation may be broken over two lines.
  let run: { start: number; end: number; lines: string[] } | null = null;
  const flush = () => {
    if (run !== null) {
      const { start, end, lines } = run;
      comments.push({ line: lineAt(source, start), text: lines.join(" "), start, end });
    }
    run = null;
  };
  for (let at = 0; at < source.length; ) {
    const two = source.slice(at, at + 2);
    if (two === "//") {
      const end = endOf(source, "\n", at);
      const text = source.slice(at + 2, end).trim();
      if (run !== null && source.slice(run.end, at).trim() === "") {
        run.lines.push(text);
        run.end = end;
      } else {
        flush();
        run = { start: at, end, lines: [text] };
      }
      at = end;
    } else if (two === "/*") {
      flush();
      const end = endOf(source, "*/", at + 2);
      const lines = source.slice(at + 2, end).split("\n");
      const text = lines.map((line) => line.replace(/^\s*\*+ ?/, "").trim()).join(" ");
      comments.push({ line: lineAt(source, at), text, start: at, end: end + 2 });
      at = end + 2;
    } else if (source[at] === '"' || source[at] === "'" || source[at] === "`") {
      at = afterString(source, at);
    } else if (source[at] === "/" && beforeRegex.test(source.slice(Math.max(0, at - 40), at))) {
      at = afterRegex(source, at);
    } else {
      at++;
    }
  }
  flush();
  return comments;
}

function pythonComments(source: string): Comment[] {
  return source.split("\n").flatMap((line, index) => {
    const text = /(?:^|\s)#\s*(.*)$/.exec(line)?.[1];
    return text === undefined ? [] : [{ line: index + 1, text }];
  });
}

function endOf(source: string, marker: string, from: number): number {
  const end = source.indexOf(marker, from);
  return end < 0 ? source.length : end;
}

/** A template's `${…}` is skipped with it: what is nested in one holds no comments here. */
function afterString(source: string, start: number): number {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === quote) return at + 1;
    else if (source[at] === "\n" && quote !== "`") return at;
  }
  return source.length;
}

function afterRegex(source: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < source.length && source[at] !== "\n"; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "[") inClass = true;
    else if (source[at] === "]") inClass = false;
    else if (source[at] === "/" && !inClass) return at + 1;
  }
  return start + 1;
}

function lineAt(source: string, index: number): number {
  return source.slice(0, index).split("\n").length;
}
