/** A cache that evicts the least recently used value. */
export class LruCache<Value> {
  private readonly values = new Map<string, Value>();

  constructor(private readonly most: number) {}

  peek(key: string): Value | undefined {
    return this.values.get(key);
  }

  get(key: string, make: () => Value): Value {
    if (this.values.has(key)) {
      const value = this.values.get(key)!;
      this.values.delete(key);
      this.values.set(key, value);
      return value;
    }
    const value = make();
    if (this.values.size >= this.most) this.values.delete(this.values.keys().next().value!);
    this.values.set(key, value);
    return value;
  }
}
