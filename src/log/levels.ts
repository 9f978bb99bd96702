/** How much is logged, from nothing to everything. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** One of them; what is logged has one of those behind `silent`. */
export type LogLevel = (typeof logLevels)[number];

/** Whether what has a level is logged at another one. */
export function isLogged(level: LogLevel, at: LogLevel): boolean {
  return logLevels.indexOf(level) <= logLevels.indexOf(at);
}

/** Takes lines for people. Without a level they are `info`. */
export type LineLog = (line: string, level?: LogLevel) => void;

/** Lets through what is logged at a level. */
export function lineLog(write: (line: string) => void, at: LogLevel): LineLog {
  return (line, level = 'info') => {
    if (isLogged(level, at)) write(line);
  };
}
