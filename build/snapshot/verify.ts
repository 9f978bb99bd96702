export async function verifySnapshot(_d: string, _id: string, _p?: unknown): Promise<any> { throw new Error('later'); }
export async function verifyAgainstLedger(..._all: unknown[]): Promise<void> { throw new Error('later'); }
